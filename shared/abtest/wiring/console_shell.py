"""Composition root of console_shell."""

import sys
from pathlib import Path
from urllib.parse import urlsplit

from abtest.edge.cdn import Handler
from abtest.edge.console_shell import ConsoleShell
from abtest.wiring.edge import through_cdn
from abtest.wiring.settings import MissingSettingError, settings


def create_handler() -> Handler:
    """Return the handler of every address below `/console`. Raises MissingSettingError."""
    config = settings()
    config.need("assets_base_url", "worker_base_url", "upload_origins")
    shell = ConsoleShell(
        console_files(),
        images=origin(config.assets_base_url),
        frames=origin(config.preview_base_url or config.worker_base_url),
        # Addresses are signed for another engine, where one is named.
        uploads=config.aws_endpoint_url or config.upload_origins,
    )
    return through_cdn(shell.answer)


def console_files() -> Path:
    """Return the folder of the console's layer. Raises MissingSettingError before `make console`."""
    for entry in sys.path:
        files = Path(entry) / "console_files"
        if (files / "screens.json").is_file():
            return files
    raise MissingSettingError("the console is not built: run make console")


def origin(base: str) -> str:
    """Return the origin of a base address; a name that differs by session becomes a wildcard."""
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc.replace('{session}', '*')}"
