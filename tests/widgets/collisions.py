"""Words of a picture that a reader cannot read."""

from playwright.sync_api import Page

SCRIPT = """(most) => {
  const picture = document.querySelector(".mt-pic").getBoundingClientRect();
  const seen = [], found = [];
  for (const text of document.querySelectorAll(".mt-pic text")) {
    const box = text.getBoundingClientRect();
    if (getComputedStyle(text).visibility !== "visible" || !box.width) continue;
    const beside = box.left < picture.left || box.right > picture.right;
    if (beside || box.top < picture.top || box.bottom > picture.bottom) found.push(text.textContent);
    for (const [other, words] of seen) {
      const wide = Math.min(box.right, other.right) - Math.max(box.left, other.left);
      const tall = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
      if (wide > 1 && tall > most) found.push(`${words} | ${text.textContent}`);
    }
    seen.push([box, text.textContent]);
  }
  return found;
}"""


def collisions(page: Page, tall: int) -> list[str]:
    """The words in sight that stick out of the picture, or that lie over others by more than `tall` pixels."""
    return page.evaluate(SCRIPT, tall)
