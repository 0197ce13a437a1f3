"""Documents that an earlier release stored, see tests/data/stored/README.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from abtest.ports.catalog import Kind

RELEASED: tuple[Kind, ...] = (
    "EXP", "GOAL", "KEY", "SHOP", "SET", "FLAG", "PZN", "PAGE", "AUD", "GRP", "DLT", "JOB", "GUARD", "HOOK",
)  # fmt: skip
"""The kinds that the earlier release knew; a kind that is younger has no documents of it."""

FOLDER = Path(__file__).parents[1] / "data" / "stored"


def stored(name: str) -> list[dict[str, Any]]:
    """The documents of a file, such as `records/EXP`."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]
