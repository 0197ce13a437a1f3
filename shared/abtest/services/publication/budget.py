"""Budget of code: a write that could not be published is refused, because a storefront may not load so much.

A draft is weighed alone; delivered code is weighed together with the published state. That is as old as the last
publication, so two writes at once may both fit and together be too large: then the publication refuses.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from abtest.domain.delivery.budgets import NOTHING, SPARE_BYTES, Weighed, Weight, exceeded, weight
from abtest.domain.delivery.config import is_active, is_public, is_running
from abtest.domain.delivery.experiments import compile_experiment
from abtest.domain.delivery.manifest import DEFAULT_ENVIRONMENT, pointer_key, read_pointer
from abtest.domain.delivery.rollouts import compile_flag, compile_personalization
from abtest.domain.experiments.model import Experiment
from abtest.domain.flags.model import Flag
from abtest.domain.personalizations.model import Personalization
from abtest.domain.targeting.compilation import NO_REFERENCES
from abtest.ports.blobs import Blobs, BlobsUnavailableError
from abtest.services.publication.outcome import TooLargeError

_ALONE = Weight(SPARE_BYTES, SPARE_BYTES)
_Part = TypeVar("_Part", Experiment, Personalization, Flag)


class CodeBudget:
    """Budgets of shops, measured by what is published in the delivery bucket."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def admit_experiment(self, before: Experiment | None, after: Experiment) -> None:
        """Raise TooLargeError when this write could not be published. Experiments are in all environments."""
        # Without references: reading pages and audiences would slow each write, and the publication weighs the whole
        # anyway.
        weights = _weights(before, after, lambda each: compile_experiment(each, NO_REFERENCES, {}))
        delivered = _delivered(before, after, weights, is_running)
        self._admit(after.shop_id, weights, delivered, None)

    def admit_personalization(self, before: Personalization | None, after: Personalization) -> None:
        """Raise TooLargeError when this write could not be published."""
        weights = _weights(before, after, lambda each: compile_personalization(each, NO_REFERENCES))
        delivered = _delivered(before, after, weights, is_active)
        self._admit(after.shop_id, weights, delivered, str(after.environment_key))

    def admit_flag(self, before: Flag | None, after: Flag) -> None:
        """Raise TooLargeError when this write could not be published. Flags for servers alone have no such limit."""
        weights = _weights(before, after, lambda each: compile_flag(each, NO_REFERENCES))
        delivered = _delivered(before, after, weights, is_public)
        self._admit(after.shop_id, weights, delivered, str(after.environment_key))

    def _admit(
        self, shop_id: str, weights: tuple[Weight, Weight], delivered: tuple[Weight, Weight], environment: str | None
    ) -> None:
        before, _ = weights
        alone = Weight(_ALONE.config + before.config, _ALONE.snippet + before.snippet)
        _refuse(exceeded(alone, *weights))
        # Pausing makes no published file larger, nor does an edit of equal weight: the bucket need not be read.
        if delivered[1] != NOTHING and delivered[0] != delivered[1]:
            for published in self.published(shop_id, environment):
                _refuse(exceeded(published, *delivered))

    def published(self, shop_id: str, environment: str | None) -> Iterator[Weight]:
        """Weights that are served now in an environment, or in each; nothing while the bucket does not answer."""
        names = [environment or DEFAULT_ENVIRONMENT]
        while names:
            name = names.pop()
            try:
                blob = self._blobs.get(pointer_key(shop_id, name))
            except BlobsUnavailableError:  # then nothing is published either, and the write does not wait
                return
            if blob is not None:
                pointer = read_pointer(blob.content)
                yield Weight(pointer.config.bytes, pointer.snippet.bytes)
                if environment is None and name == DEFAULT_ENVIRONMENT:
                    # Only the default pointer names the others, so the list grows once.
                    names = [each for each in pointer.environments if each != DEFAULT_ENVIRONMENT]


def refuse_overweight(characters: int) -> None:
    """Raise TooLargeError for so much code, independently of the rest."""
    _refuse(exceeded(_ALONE, NOTHING, Weight(config=characters)))


def _weights(before: _Part | None, after: _Part, compiled: Callable[[_Part], Weighed]) -> tuple[Weight, Weight]:
    return NOTHING if before is None else _weight(before, compiled), _weight(after, compiled)


def _weight(part: _Part, compiled: Callable[[_Part], Weighed]) -> Weight:
    try:
        return weight(compiled(part))
    except Exception:  # a stored form that cannot be compiled is not delivered
        return NOTHING


def _delivered(
    before: _Part | None, after: _Part, weights: tuple[Weight, Weight], is_delivered: Callable[[_Part], bool]
) -> tuple[Weight, Weight]:
    """Weights of the delivered code before and after the write."""
    was = before is not None and is_delivered(before)
    return weights[0] if was else NOTHING, weights[1] if is_delivered(after) else NOTHING


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise TooLargeError(reason)
