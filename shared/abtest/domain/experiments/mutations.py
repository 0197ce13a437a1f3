"""Mutations: which further field each action needs."""

from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.experiments.errors import refused
from abtest.domain.experiments.model import Experiment

NEEDED: Mapping[str, tuple[str, ...]] = {
    "text": ("text",),
    "setText": ("text",),
    "html": ("html",),
    "insertBefore": ("html",),
    "insertAfter": ("html",),
    "style": ("styles",),
    "setStyle": ("styles",),
    "attribute": ("attributes", "attribute"),
    "remove": (),
}
"""Of the fields an action names, one must be there."""


def check(experiment: Experiment) -> None:
    """Raises ValidationFailedError for a mutation that lacks what its action needs."""
    for path, mutation in _mutations(experiment):
        needed = NEEDED[mutation["action"]]
        if needed and not any(name in mutation for name in needed):
            raise refused(f"{path}.{needed[0]}", f"is needed by the action {mutation['action']}")


def _mutations(experiment: Experiment) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for index, variation in enumerate(experiment.variations):
        place = f"variations[{index}]"
        yield from ((f"{place}.mutations[{i}]", mutation) for i, mutation in enumerate(variation.mutations))
        for position, block in enumerate(variation.url_blocks or ()):
            inside = f"{place}.url_blocks[{position}].mutations"
            yield from ((f"{inside}[{i}]", mutation) for i, mutation in enumerate(block["mutations"]))
