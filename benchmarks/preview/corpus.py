"""Real pages: templates of shops from npm, pages within an installed package, landing pages of ours."""

import site
from pathlib import Path

PLACES = (
    (Path("tests/browser/pages/node_modules"), "startbootstrap-*/dist/*.html"),
    (Path("tests/data/landing_pages"), "*.html"),
    *((Path(folder), "statsmodels/datasets/**/*.html") for folder in site.getsitepackages()),
)
PAGE_URL = "https://shop.example/shop/page"
BASE, TOKEN = "https://preview.example", f"v1.k1.{'t' * 300}"


def paths() -> list[str]:
    """Return the files of the pages. Raises SystemExit when they are not installed."""
    files = sorted(str(path.resolve()) for folder, pattern in PLACES for path in folder.glob(pattern))
    if len(files) < len(PLACES):
        raise SystemExit("the pages are not installed: make setup")
    return files
