"""What each mode computes, from `inputs` to `result`."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from abtest.domain.assignment.hash import bucket, fold
from abtest.domain.targeting.urls import matches

Mode = Callable[[Mapping[str, Any]], dict[str, Any]]


def hash_mode(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`{"seed", "value"}` to `{"bucket": 0..9999}`."""
    return {"bucket": bucket(inputs["value"], _state(inputs["seed"]))}


def url_mode(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`{"type": "simple" | "regex", "url", "pattern"}` to `{"matches": bool}`."""
    return {"matches": matches(inputs["type"], inputs["pattern"], inputs["url"])}


MODES: Mapping[str, Mode] = {"hash": hash_mode, "url": url_mode}

_state = lru_cache(maxsize=1024)(fold)
