"""A look at pages: screenshots that are kept, and what axe finds that keeps people out."""

import os
from pathlib import Path

from playwright.sync_api import ElementHandle, Page

# Where screenshots are kept, for people to look at.
SCREENSHOTS = Path(os.environ.get("MINITAPE_SCREENSHOTS") or Path(__file__).parent / "screenshots")

RUN_AXE = """async (part) => {
  const { violations } = await axe.run(part ?? document);
  const said = ({ id, impact, help }, node) => `${impact}: ${id}: ${help}: ${node.html}`;
  return violations.flatMap((broken) => broken.nodes.map((node) => said(broken, node)));
}"""


def faults(page: Page, npm_packages: Path, part: ElementHandle | None = None) -> list[str]:
    """Every rule of accessibility that a page, or a part of it, breaks."""
    page.evaluate((npm_packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    return page.evaluate(RUN_AXE, part)
