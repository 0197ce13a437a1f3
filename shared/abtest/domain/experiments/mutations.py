"""Mutations: the further field that each action needs."""

from collections.abc import Iterable, Mapping

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
"""Fields by action; a mutation has at least one of them."""


def check(experiment: Experiment) -> None:
    """Raise ValidationFailedError for a mutation that lacks what its action needs."""
    for index, variation in enumerate(experiment.variations):
        check_list(variation.mutations, f"variations[{index}].mutations")
        for position, block in enumerate(variation.url_blocks or ()):
            check_list(block["mutations"], f"variations[{index}].url_blocks[{position}].mutations")


def check_list(mutations: Iterable[Mutation], path: str) -> None:
    """Raise ValidationFailedError for a mutation of the list at this path that lacks what its action needs."""
    for index, mutation in enumerate(mutations):
        needed = NEEDED[mutation["action"]]
        if needed and not any(name in mutation for name in needed):
            raise refused(f"{path}[{index}].{needed[0]}", f"is needed by the action {mutation['action']}")
