"""Invokes built functions with the events of `events/` and compares the answers with `events/expected.json`.

By default every function answers its first event in a process that sees nothing but the function and its layers, and
one function per set of layers answers in a container as well (`sam local invoke`). `--all`: every event in a container.
Each container makes an image of its own, which takes ten times as long as the process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.support.template import function_handlers
from tools.sam.sizes import layers_of_functions

BUILD = Path(".aws-sam/build")
EVENTS = Path("events")
RUNTIME = Path(__file__).with_name("runtime.py")
SAM = ".local/venvs/sam/bin/sam"
PASSED_ON = ("PATH", "LANG", "TMPDIR", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
UNREACHABLE = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "POWERTOOLS_TRACE_DISABLED": "true", "STAGE": "local"}

Invoke = Callable[["Built", Path], Any]


@dataclass(frozen=True, slots=True)
class Built:
    """A function of the template as `sam build` left it."""

    logical_id: str
    handler: str
    environment: dict[str, str]
    layers: tuple[str, ...]

    @property
    def folder(self) -> str:
        """Its folder in `functions/`, with which the names of its events begin."""
        return self.handler.split(".", maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class Case:
    """One event for one function, and what must come back."""

    function: Built
    event: Path
    expected: Any


def built_functions() -> list[Built]:
    """Every function of the template but images, which `sam build` does not make."""
    layers = layers_of_functions(Path("template.yaml"))
    handlers = function_handlers()
    return [Built(name, handler, env, tuple(layers[name])) for name, handler, env in handlers if name in layers]


def in_container(function: Built, event: Path) -> Any:
    """Response of the function to `sam local invoke`."""
    return answer([SAM, "local", "invoke", function.logical_id, "-e", str(event), "--skip-pull-image"], None)


def in_process(function: Built, event: Path) -> Any:
    """Response of the function in a Python without site-packages, whose path is the function and its layers."""
    folders = [*(BUILD / layer / "python" for layer in function.layers), BUILD / function.logical_id]
    given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    path = {"PYTHONPATH": os.pathsep.join(str(folder.resolve()) for folder in folders)}
    command = [sys.executable, "-S", "-B", str(RUNTIME), function.handler, str(event)]
    return answer(command, given | function.environment | UNREACHABLE | path)


def answer(command: list[str], environment: dict[str, str] | None) -> Any:
    """The last line of output, decoded. Raises RuntimeError with the end of the log when there is none."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False, env=environment)
    lines = done.stdout.strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError):
        raise RuntimeError((done.stderr or done.stdout)[-1500:]) from None


def differences(expected: Any, actual: Any, path: str = "") -> list[str]:
    """Where `actual` lacks what `expected` names; keys beyond the expected ones are fine."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            line for key, value in expected.items() for line in differences(value, actual.get(key), f"{path}.{key}")
        ]
    return [] if expected == actual else [f"{path}: expected {expected!r}, got {actual!r}"]


def run(case: Case, invoke: Invoke) -> bool:
    """Invoke one case, print a line, and return whether it passed."""
    started = time.monotonic()
    try:
        wrong = differences(case.expected, invoke(case.function, case.event))
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        wrong = [str(error)]
    print(f"  {'ok  ' if not wrong else 'FAIL'} {case.event.stem:<40} {time.monotonic() - started:5.1f} s", flush=True)
    for line in wrong:
        print(f"       {line}")
    return not wrong


def cases() -> list[Case]:
    """Every event with its function. Ends the program where an event, a function or an answer has no counterpart."""
    expected = json.loads((EVENTS / "expected.json").read_text())
    functions = {function.folder: function for function in built_functions()}
    files = sorted(EVENTS.glob("*__*.json"))
    if missing := sorted(set(functions) - {path.name.split("__")[0] for path in files}):
        sys.exit(f"no sample event for {', '.join(missing)}")
    if unknown := [path.stem for path in files if path.stem not in expected]:
        sys.exit(f"events/expected.json does not say what must come back for {', '.join(unknown)}")
    return [Case(functions[path.name.split("__")[0]], path, expected[path.stem]) for path in files]


def first_of(every: Iterable[Case], key: Callable[[Case], object]) -> list[Case]:
    """The first case of each value of the key."""
    return list({key(case): case for case in reversed(list(every))}.values())[::-1]


def passed(where: str, chosen: list[Case], invoke: Invoke) -> bool:
    """Run the cases two at a time and print how many passed."""
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(partial(run, invoke=invoke), chosen))
    functions = len({case.function.logical_id for case in chosen})
    print(f"{where}: {sum(outcomes)} of {len(outcomes)} cases in {functions} functions as expected")
    return all(outcomes)


def main() -> int:
    every = cases()
    if "--all" in sys.argv:
        return 0 if passed("in containers", every, in_container) else 1
    each_function = first_of(every, lambda case: case.function.logical_id)
    each_layer_set = first_of(every, lambda case: case.function.layers)
    outcomes = [
        passed("in processes", each_function, in_process),
        passed("in containers, one for each set of layers", each_layer_set, in_container),
    ]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
