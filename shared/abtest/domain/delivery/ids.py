"""Ids of the experiments of a snippet in one text: they compress better there than among other fields.

The SDK's part `ids` (`storefront/src/ids.js`) puts them back.
"""

import re
from collections.abc import Iterator
from typing import Any

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HALF = 16
"""Digits of an id; the first half is its time, which neighbours share."""
_TOGETHER_FROM = 24
"""Number of ids. With fewer, the code that puts them back is longer than what is saved."""
_Part = dict[str, Any]


def together(experiments: list[_Part]) -> str | None:
    """Take the ids out of experiments, their variations and goals; return their first halves, then the second ones.

    None, and nothing is taken, where there are few or one of them has another form.
    """
    parts = list(_parts(experiments))
    ids = [part.get("id") for part in parts]
    if len(ids) < _TOGETHER_FROM or not all(isinstance(each, str) and _UUID.fullmatch(each) for each in ids):
        return None
    digits = [part.pop("id").replace("-", "") for part in parts]
    return "".join(each[:_HALF] for each in digits) + "".join(each[_HALF:] for each in digits)


def _parts(experiments: list[_Part]) -> Iterator[_Part]:
    for experiment in experiments:
        yield experiment
        yield from experiment["variations"]
        yield from experiment.get("goals", ())
