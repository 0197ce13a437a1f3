"""Runs `sam local invoke` with sample events and compares the answers with `events/expected.json`.

One event a function, the first by name, or every event with `--all`: each invocation makes an image of its own.
"""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.support.template import function_handlers

EVENTS = Path("events")
SAM = ".local/venvs/sam/bin/sam"


def logical_ids() -> dict[str, str]:
    """Function folder to its logical id in the template."""
    return {handler.split(".")[0]: name for name, handler, _ in function_handlers()}


def invoke(logical_id: str, event: Path) -> Any:
    """What the function returned. Raises RuntimeError with the end of the log when it returned nothing."""
    command = [SAM, "local", "invoke", logical_id, "-e", str(event), "--skip-pull-image"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    lines = done.stdout.strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError):
        raise RuntimeError((done.stderr or done.stdout)[-1500:]) from None


def differences(expected: Any, found: Any, path: str = "") -> list[str]:
    """Where `found` lacks what `expected` names; keys beyond the expected ones are fine."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [line for key, value in expected.items() for line in differences(value, found.get(key), f"{path}.{key}")]
    return [] if expected == found else [f"{path}: expected {expected!r}, got {found!r}"]


def run(case: tuple[str, str, Path, Any]) -> bool:
    """Invoke one case, print a line, and say whether it passed."""
    name, logical_id, event, expected = case
    started = time.monotonic()
    try:
        found = invoke(logical_id, event)
        wrong = differences(expected, found)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        wrong = [str(error)]
    print(f"  {'ok  ' if not wrong else 'FAIL'} {name:<40} {time.monotonic() - started:5.1f} s", flush=True)
    for line in wrong:
        print(f"       {line}")
    return not wrong


def main() -> int:
    expected = json.loads((EVENTS / "expected.json").read_text())
    ids = logical_ids()
    files = sorted(path for path in EVENTS.glob("*__*.json"))
    folders = {path.name.split("__")[0] for path in files}
    if missing := sorted(set(ids) - folders):
        sys.exit(f"no sample event for {', '.join(missing)}")
    if unknown := [path.stem for path in files if path.stem not in expected]:
        sys.exit(f"events/expected.json does not say what must come back for {', '.join(unknown)}")
    if "--all" not in sys.argv:
        files = [next(path for path in files if path.name.startswith(f"{folder}__")) for folder in sorted(folders)]
    cases = [(path.stem, ids[path.name.split("__")[0]], path, expected[path.stem]) for path in files]
    with ThreadPoolExecutor(2) as pool:
        passed = list(pool.map(run, cases))
    print(f"sam local invoke: {sum(passed)} of {len(passed)} cases in {len(ids)} functions as expected")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
