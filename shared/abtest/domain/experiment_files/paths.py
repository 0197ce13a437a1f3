"""Paths of an experiment's files: their grammar, and why any other path is refused."""

import re
from dataclasses import dataclass
from typing import Literal

from abtest.kit.visible_text import has_unsafe

EXPERIMENT = "experiment.json"
GOALS = "goals.json"
GUIDE = "README.md"
CODE = {"experiment.js": "experiment_js", "experiment.css": "experiment_css", "reset.js": "experiment_reset_js"}
"""Files of the experiment's own code, and its fields."""

VARIATION_CODE = {"custom.css": "custom_css", "custom.js": "custom_js"}
"""The same of a variation."""

MAX_PATH_BYTES = 512
NAME = "[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?"
"""Name of a folder, a block's file or a goal's key."""

NAME_RULE = "has 1 to 64 lower-case letters, digits and hyphens, and begins and ends with a letter or a digit"

DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{name}{n}" for name in ("com", "lpt") for n in range(10)}
)
"""Names that mean a device instead of a file on some systems."""

Resource = Literal["experiment", "variation", "url_block", "goals", "guide"]

_IN_VARIATION = re.compile(
    rf"variations/(?P<folder>{NAME})/(?:(?P<file>variation\.json|mutations\.json|custom\.css|custom\.js)"
    rf"|blocks/(?P<block>{NAME})\.(?P<part>json|css|js))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Part of the experiment that a file describes. `file` is its name in its folder, of a block its ending."""

    resource: Resource
    file: str
    folder: str = ""
    block: str = ""


def place_of(path: str) -> Place | None:
    """Return the place of a path, or None for a path outside the grammar."""
    if path == GUIDE:
        return Place(resource="guide", file=path)
    if path == GOALS:
        return Place(resource="goals", file=path)
    if path == EXPERIMENT or path in CODE:
        return Place(resource="experiment", file=path)
    match = _IN_VARIATION.fullmatch(path)
    if match is None or _is_device(path):
        return None
    folder, block = match["folder"], match["block"]
    if block is None:
        return Place(resource="variation", file=match["file"], folder=folder)
    return Place(resource="url_block", file=match["part"], folder=folder, block=block)


def in_variation(folder: str, file: str) -> str:
    """Return the path of a variation's file."""
    return f"variations/{folder}/{file}"


def in_block(folder: str, block: str, part: str) -> str:
    """Return the path of a block's file."""
    return f"variations/{folder}/blocks/{block}.{part}"


def problem_of(path: str) -> str | None:
    """Return why a path cannot be that of a file of an experiment, and what to do; None where it can."""
    if place_of(path) is not None:
        return None
    return _problem_of_text(path) or _problem_of_segments(path) or _problem_of_place(path)


def _problem_of_text(path: str) -> str | None:
    if not path:
        return "is empty; give each file its path"
    if len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if has_unsafe(path):
        return "has control characters, or characters that change the direction of writing; remove them"
    return None if path.isascii() else "must have ASCII characters only"


def _problem_of_segments(path: str) -> str | None:
    segments = path.split("/")
    if "\\" in path:
        return "must have / between folders, not \\"
    if path.startswith(("/", "~")) or re.match("[A-Za-z]:", path):
        return "must be relative to the experiment, such as experiment.json"
    if any(segment in (".", "..") for segment in segments):
        return "must not have . or .. as a folder"
    if "" in segments:
        return "has an empty folder name; write one / between folders, and none at the end"
    return "has the name of a device; choose another name" if _is_device(path) else None


def _problem_of_place(path: str) -> str:
    lower = path.lower()
    if lower == GUIDE.lower():
        return f"differs from {GUIDE} only in upper and lower case"
    if path != lower and place_of(lower) is not None:
        return f"must be in lower case: {lower}"
    if path.startswith("variations/"):
        return (
            "is not a file of a variation: variations/<name>/ has variation.json, mutations.json, custom.css, "
            f"custom.js and blocks/<name>.json, .css and .js; a <name> {NAME_RULE}"
        )
    return f"is not a file of an experiment; {GUIDE} of every experiment lists them"


def _is_device(path: str) -> bool:
    return any(segment.partition(".")[0].lower().rstrip(" ") in DEVICES for segment in path.split("/"))
