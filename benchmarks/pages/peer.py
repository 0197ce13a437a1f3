"""The peer: a landing page of Bootstrap, as its template is delivered."""

from pathlib import Path

import brotli

from benchmarks import npm

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
TEMPLATE = MODULES / "startbootstrap-landing-page" / "dist"

# What the page itself loads. Its icons, fonts and form service come from other hosts and are left out, in its favour.
FILES = (
    TEMPLATE / "index.html",
    TEMPLATE / "css" / "styles.css",
    TEMPLATE / "js" / "scripts.js",
    MODULES / "bootstrap" / "dist" / "js" / "bootstrap.bundle.min.js",
)


def weight() -> int:
    """Return the bytes of the peer's files, each in brotli as a CDN sends it."""
    npm.install(HERE)
    return sum(len(brotli.compress(path.read_bytes())) for path in FILES)
