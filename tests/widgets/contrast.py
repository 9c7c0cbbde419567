"""Words of a picture that are too pale to read: axe cannot tell what lies under a text in an SVG, so it is measured."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import ElementHandle, Page

ENOUGH = 4.5  # the contrast that WCAG 2 asks of words of this size, level AA

BOXES = """(part) => [...(part ?? document).querySelectorAll(".mt-pic text")]
  .filter((text) => getComputedStyle(text).visibility === "visible" && text.getBoundingClientRect().width)
  .map((text) => {
    const { left, top, right, bottom } = text.getBoundingClientRect();
    return { words: text.textContent, box: [left, top, right, bottom].map((edge) => edge * devicePixelRatio) };
  })"""
HIDE = ".mt-pic text, .mt-pic tspan { fill: transparent !important; }"  # a halo round the words stays


def pale(page: Page, part: ElementHandle | None = None) -> list[str]:
    """The words in sight that do not stand out enough from what lies under them, each with its contrast.

    The page is photographed with its words and without them. Where the photographs differ there is ink; the colour that
    most of it has is the words', and each colour that lies under much of it has to be far enough from that. With a
    `device_scale_factor` of 2 the letters have an inside; of 1, most of their ink is half a colour.
    """
    texts = page.evaluate(BOXES, part)
    inked = photograph(page)
    style = page.add_style_tag(content=HIDE)
    bare = photograph(page)
    style.evaluate("(style) => style.remove()")
    return [f"{text['words']}: {least:.2f}" for text in texts if (least := contrast(inked, bare, text["box"])) < ENOUGH]


def photograph(page: Page) -> NDArray[np.uint8]:
    """The whole page, as (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB"))


def contrast(inked: NDArray[np.uint8], bare: NDArray[np.uint8], box: list[float]) -> float:
    """The least contrast between words and what lies under at least a tenth of them."""
    left, top, right, bottom = (round(edge) for edge in box)
    over, under = (image[top:bottom, max(left, 0) : right].reshape(-1, 3) for image in (inked, bare))
    differ = (over != under).any(axis=1)
    if not differ.any():
        return 1.0
    colours, counts = np.unique(over[differ], axis=0, return_counts=True)
    ink = colours[counts.argmax()]
    grounds, counts = np.unique(under[differ & (over == ink).all(axis=1)], axis=0, return_counts=True)
    return min(ratio(ink, ground) for ground in grounds[counts >= counts.sum() / 10])


def ratio(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """The contrast of two colours, from 1 to 21, as WCAG 2 defines it."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour: NDArray[np.uint8]) -> float:
    """How bright an sRGB colour is, from 0 to 1."""
    share = colour / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))
