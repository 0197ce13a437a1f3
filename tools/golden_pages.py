"""`python -m tools.golden_pages` writes tests/data/landing_pages; with `--check` it only reports what would change."""

import re
import sys
from pathlib import Path

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import RenderedPage, render
from tests.support.landing import BLOCKS, FOOTER, LIBRARY, SEO, SITE, TONES, page

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "landing_pages"

_ELEMENT_STARTS = re.compile(
    "(?=<(?:section|footer|div|ul|ol|li|dl|table|tr|form|figure|details|h[1-3]|meta|link|script|title)[ >])"
)


def files() -> dict[str, str]:
    """Return the golden files: each block in each tone, a whole page, and the style sheet of each tone."""
    golden = {f"{kind}.html": "".join(_sections(kind, tone) for tone in TONES) for kind in BLOCKS}
    for tone in TONES:
        html = _page(page(tone=tone, footer={**FOOTER, "tone": tone})).html.decode()
        style = html.partition("<style>")[2].partition("</style>")[0]
        golden[f"{tone}.css"] = style.replace("}", "}\n")
        golden[f"footer-{tone}.html"] = _lines(html[html.index("<footer") : html.index("</body>")])
    golden["head.html"] = _lines(re.sub("<style>.*?</style>", "", html.partition("<body>")[0]))
    return golden


def _page(document: dict[str, object]) -> RenderedPage:
    return render(spec_of(document), assets=LIBRARY, seo=SEO, site=SITE, mark="1000000001:1000000002")


def _sections(kind: str, tone: str) -> str:
    # The anchors of all blocks must exist, so the block is cut out of the whole page.
    html = _page(page(tone=tone)).html.decode()
    start = html.index(f'<section id="{kind}"')
    return _lines(html[start : html.index("</section>", start)] + "</section>")


def _lines(html: str) -> str:
    """Return HTML with a line per element, so that a difference can be read."""
    return _ELEMENT_STARTS.sub("\n", html).strip() + "\n"


def main(arguments: list[str]) -> int:
    """Return the exit code: 1 where `--check` reports a file that would change."""
    golden = files()
    stale = [name for name, text in golden.items() if not _is_current(name, text)]
    stale += [path.name for path in FOLDER.glob("*") if path.name not in golden]
    if "--check" in arguments:
        for name in stale:
            print(f"{name} would change: run make golden, and look at the difference")
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        path = FOLDER / name
        if name in golden:
            path.write_text(golden[name], encoding="utf-8")
        else:
            path.unlink()
    print(f"{len(golden)} files of landing pages, {len(stale)} changed")
    return 0


def _is_current(name: str, text: str) -> bool:
    path = FOLDER / name
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
