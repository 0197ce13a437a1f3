"""Answers of bundles in Node, each in a page that has nothing."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tools.golden.answers import whole

Json = dict[str, Any]
ANSWERS = Path(__file__).parents[1] / "sdk" / "answers_of_bundles.mjs"


def answers(bundles: dict[str, str], questions: list[Json]) -> list[list[Json]]:
    """For each question the decisions of each of its bundles."""
    lines = [json.dumps({"bundles": bundles}), *map(json.dumps, questions)]
    done = subprocess.run(
        ["node", str(ANSWERS)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line, parse_int=whole) for line in done.stdout.strip().split("\n")]
