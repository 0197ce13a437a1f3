"""Bytes in brotli: the first screen, the largest scripts that are loaded later, and the same sources on React.

React takes the place of Preact by aliases, with the signals of the same makers. Its router is one of our own that has
only what the console needs, since the usual ones are larger than that of Preact. Nothing of it is run.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import brotli

from benchmarks import npm
from benchmarks.console.table import kilobytes, limit, row

HERE = Path(__file__).parent
BUILT = Path("layers/console/console_files/sizes.json")
IN_PAGE = Path("shared/abtest/storefront/dist/editor.js")
IN_PAGE_LIMIT = 12_000
AGAINST_REACT = 0.6

Outputs = dict[str, dict[str, Any]]


def report() -> None:
    """Build both, and print their weights next to each other."""
    npm.install(HERE)
    subprocess.run(["bash", "tools/console.sh"], check=True)
    ours, theirs = json.loads(BUILT.read_text()), _printed("react/build.mjs")["outputs"]
    weights, on_react = _printed("weigh.mjs", ours), _printed("weigh.mjs", theirs)
    print("Scripts of the console, brotli")
    first, first_there = weights[0][1], on_react[0][1]
    row("first screen", kilobytes(first), "on React", kilobytes(first_there), first / first_there, AGAINST_REACT)
    for what, size, most in (*weights[:3], max(weights[3:], key=lambda each: each[1])):
        limit(what, size, most)
    limit("part of the editor in the page", len(brotli.compress(IN_PAGE.read_bytes())), IN_PAGE_LIMIT)
    what, size = _heaviest(ours)
    print(
        f"  most that opening one screen adds to the first: {kilobytes(size)}, {what}, with what it shares with others"
    )


def _printed(script: str, given: object = None) -> Any:
    done = subprocess.run(
        ["node", str(HERE / script)], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def _heaviest(outputs: Outputs) -> tuple[str, int]:
    """Return the screen that loads most after the first screen, and the bytes."""
    here = _loaded(outputs, "src/main.tsx") | _loaded(outputs, "src/screens/overview/overview.tsx")
    added = {
        entry: sum(outputs[name]["brotli"] for name in _loaded(outputs, entry) - here)
        for each in outputs.values()
        if (entry := each["entry"] or "").startswith("src/") and not entry.startswith("src/kit/")
    }
    return max(added.items(), key=lambda each: each[1])


def _loaded(outputs: Outputs, entry: str) -> set[str]:
    names = [name for name, output in outputs.items() if output["entry"] == entry]
    for name in names:
        names.extend(each for each in outputs[name]["static"] if each not in names)
    return set(names)
