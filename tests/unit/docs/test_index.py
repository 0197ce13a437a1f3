"""The index of the documents, the links between them, and the size of their pictures."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
INDEX = ROOT / "docs" / "README.md"
GUIDES = sorted((ROOT / "docs").glob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "tools/local/README.md"]


def targets(page: Path) -> list[tuple[str, str]]:
    """Relative links and pictures of a page, each as its path and its fragment."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
    links = re.findall(r'\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"', text)
    relative = [markdown or html for markdown, html in links if "://" not in (markdown or html)]
    return [(link.partition("#")[0], link.partition("#")[2]) for link in relative]


def anchors(page: Path) -> set[str]:
    """The fragments that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_index__links_every_document() -> None:
    linked = {(INDEX.parent / path).resolve() for path, _ in targets(INDEX)}
    assert not [page.name for page in GUIDES if page != INDEX and page not in linked]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page__relative_links__resolve(page: Path) -> None:
    for path, fragment in targets(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not fragment or fragment in anchors(target), f"{path}#{fragment}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page__has_no_markers_of_a_merge(page: Path) -> None:
    assert not re.findall(r"^(?:<{7}|={7}|>{7})(?: .*)?$", page.read_text(), re.MULTILINE)


def test_decisions__are_numbered_one_by_one() -> None:
    files = sorted((ROOT / "docs/adr").glob("*.md"))
    assert [int(path.name[:4]) for path in files] == list(range(1, len(files) + 1))
    assert not [path.name for path in files if not path.read_text().startswith(f"# {int(path.name[:4])}. ")]


def test_decisions__have_headings_that_can_be_linked() -> None:
    parts = re.compile(r"^\*\*(Context|Decision|Alternatives|Consequences)[^*]*[.][*][*]", re.MULTILINE)
    assert not [path.name for path in (ROOT / "docs/adr").glob("*.md") if parts.search(path.read_text())]


@pytest.mark.parametrize("picture", sorted((ROOT / "docs/figures").glob("*.png")), ids=lambda path: path.name)
def test_picture__is_small_enough_for_a_page(picture: Path) -> None:
    assert picture.stat().st_size < 200_000
