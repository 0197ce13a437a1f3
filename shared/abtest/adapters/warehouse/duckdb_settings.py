"""Settings of every embedded database."""

from pathlib import Path
from typing import Any


def settings_of(folder: Path, memory_limit: str, spilled: str = "spilled") -> dict[str, Any]:
    """Return the settings of a database that works in a folder and moves what exceeds its memory there."""
    return {
        "memory_limit": memory_limit,
        "temp_directory": str(folder / spilled),
        # To preserve the order of insertion, DuckDB would have to hold more rows in memory; no result depends on it.
        "preserve_insertion_order": False,
        # DuckDB would keep the content of files by name and time. Downloads have the names of earlier ones that were
        # deleted a moment before, so the rows of another shop would be read in place of these.
        "enable_external_file_cache": False,
    }
