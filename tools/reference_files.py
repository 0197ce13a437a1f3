"""Files that the reference page needs next to the OpenAPI document, written into the package by `make setup`.

`renderer` fetches the pinned release of the renderer and checks its hash. `guides` copies the guides of docs/.
"""

import gzip
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from base64 import b64encode
from hashlib import sha512
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "shared" / "abtest" / "http" / "reference_files"

# Changing the version needs its hash (`npm view @scalar/api-reference dist.integrity`) and a look at the page (ADR 40).
PACKAGE, VERSION = "@scalar/api-reference", "1.72.1"
INTEGRITY = "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=="
MEMBER = "package/dist/browser/standalone.js"
NOTICE = f"/*! {PACKAGE} {VERSION}, (c) Scalar, MIT License, https://github.com/scalar/scalar */\n"

GUIDES = (
    "getting-started",
    "concepts",
    "api-conventions",
    "storefront",
    "install-recipes",
    "installation",
    "targeting",
    "edge",
    "events",
    "data-layer-triggers",
    "settings",
    "webhooks",
    "store-profile",
    "exports",
    "planning",
    "statistics",
    "analytics",
    "autostop",
    "guardian",
    "report",
)
"""Guides for users of the API, in the order of docs/README.md."""

_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_GUIDE = re.compile(r"([a-z-]+)\.md(#[^)]*)?")


def renderer() -> None:
    """Write the renderer's script, compressed. Raises SystemExit when the archive is not the pinned one."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", f"{PACKAGE}@{VERSION}", "--silent", "--pack-destination", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        if f"sha512-{b64encode(sha512(archive.read_bytes()).digest()).decode()}" != INTEGRITY:
            raise SystemExit(f"{PACKAGE} {VERSION} has another hash than the pinned one")
        with tarfile.open(archive) as files:
            member = files.extractfile(MEMBER)
            assert member is not None
            script = member.read()
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "renderer.js.gz").write_bytes(gzip.compress(NOTICE.encode() + script, 9, mtime=0))


def guides() -> None:
    """Write the titles and texts of all guides as one document."""
    texts = {name: (ROOT / "docs" / f"{name}.md").read_text() for name in GUIDES}
    FOLDER.mkdir(exist_ok=True)
    document = {name: {"title": title_of(text), "text": linked(text)} for name, text in texts.items()}
    (FOLDER / "guides.json").write_text(json.dumps(document, ensure_ascii=False))


def title_of(text: str) -> str:
    """Return the text of the first heading."""
    return text.partition("\n")[0].lstrip("# ")


def linked(text: str) -> str:
    """Return a guide whose links lead to guides of the same page; links to other files become plain text."""

    def target(link: re.Match[str]) -> str:
        guide = _GUIDE.fullmatch(link[2])
        if guide and guide[1] in GUIDES:
            return f"[{link[1]}](?api={guide[1]})"
        return f"[{link[1]}](?api=reference)" if link[2].endswith("openapi.json") else link[1]

    body = text.partition("\n")[2].strip()
    return _LINK.sub(target, _IMAGE.sub("", body))


def main() -> int:
    """Run the named command."""
    commands = {"renderer": renderer, "guides": guides}
    commands[sys.argv[1]]()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
