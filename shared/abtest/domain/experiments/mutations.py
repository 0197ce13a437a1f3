"""Mutations: which further field each action needs."""

from collections.abc import Iterable, Iterator, Mapping

from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.shapes import Mutation
from abtest.kit.errors import refused

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
    for path, mutations in _lists(experiment):
        check_list(mutations, path)


def check_list(mutations: Iterable[Mutation], path: str) -> None:
    """Raises ValidationFailedError for a mutation of the list at this path that lacks what its action needs."""
    for index, mutation in enumerate(mutations):
        needed = NEEDED[mutation["action"]]
        if needed and not any(name in mutation for name in needed):
            raise refused(f"{path}[{index}].{needed[0]}", f"is needed by the action {mutation['action']}")


def _lists(experiment: Experiment) -> Iterator[tuple[str, Iterable[Mutation]]]:
    for index, variation in enumerate(experiment.variations):
        yield f"variations[{index}].mutations", variation.mutations
        for position, block in enumerate(variation.url_blocks or ()):
            yield f"variations[{index}].url_blocks[{position}].mutations", block["mutations"]
