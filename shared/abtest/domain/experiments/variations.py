"""Variations of an experiment: created, edited, archived, weighted; the rules that span them are in `rules`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from abtest.domain.changes.errors import NotDeletableError
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.limits import MAX_STORED_VARIATIONS, MAX_VARIATIONS
from abtest.domain.experiments.model import DeliveryType, Experiment, Variation
from abtest.domain.experiments.shapes import VariationFields
from abtest.kit.clock import Timestamp
from abtest.kit.errors import LimitReachedError, NotFoundError, refused

DEFAULT_VARIATIONS: tuple[VariationFields, ...] = (
    {"name": "Control", "weight": 0.5, "is_control": True},
    {"name": "Variant", "weight": 0.5, "is_control": False},
)


def initial(
    given: Sequence[VariationFields], identities: Sequence[tuple[str, str]], experiment: Experiment
) -> Experiment:
    """Return the experiment with its first variations; `identities` are pairs of id and public id, one for each.

    Where no weight is given, shares are equal; where no control is given, the first variation is the control.
    """
    has_weights = any("weight" in item for item in given)
    has_control = any("is_control" in item for item in given)
    made = []
    for position, (item, identity) in enumerate(zip(given, identities, strict=True)):
        defaults: VariationFields = {
            "weight": 0.0 if has_weights else 1 / len(given),
            "is_control": not has_control and position == 0,
        }
        made.append(_made(experiment, {**defaults, **item}, identity))
    return replace(experiment, variations=tuple(made))


def add(experiment: Experiment, given: VariationFields, variation_id: str, public_id: str) -> Experiment:
    """Return the experiment with one more variation. Raises LimitReachedError."""
    if len(in_use(experiment)) >= MAX_VARIATIONS or len(experiment.variations) >= MAX_STORED_VARIATIONS:
        raise LimitReachedError(f"an experiment has at most {MAX_VARIATIONS} variations")
    made = _made(experiment, given, (variation_id, public_id))
    return replace(experiment, variations=(*experiment.variations, made))


def edit(experiment: Experiment, variation_id: str, given: VariationFields) -> Experiment:
    """Return the experiment with one variation changed."""
    fields = _tidy(given, experiment.delivery_type)
    return _with(experiment, replace(find(experiment, variation_id), **fields))


def replace_all(
    experiment: Experiment,
    given: Sequence[VariationFields],
    identities: Sequence[tuple[str, str]],
    *,
    now: Timestamp,
    user_id: str,
) -> Experiment:
    """Return the experiment with these variations in this order: known by `id`, or new with an identity of the list.

    Missing ones are deleted while the experiment is a draft that never started, and archived afterwards.
    """
    made = []
    for index, (item, identity) in enumerate(zip(given, identities, strict=True)):
        if "id" not in item:
            made.append(_made(experiment, item, identity))
            continue
        known = next((each for each in experiment.variations if item["id"] in (each.id, each.public_id)), None)
        if known is None:
            raise refused(f"variations[{index}].id", "must be a variation of this experiment")
        made.append(replace(known, **{**_tidy(item, experiment.delivery_type), "id": known.id}))
    named = {variation.id for variation in made}
    if len(named) != len(made):
        raise refused("variations", "must name each variation once")
    rest = [variation for variation in experiment.variations if variation.id not in named]
    if is_untested(experiment):
        rest = []
    kept = (item if item.archived_at else replace(item, archived_at=now, archived_by=user_id) for item in rest)
    after = replace(experiment, variations=(*made, *kept))
    if len(in_use(after)) > MAX_VARIATIONS or len(after.variations) > MAX_STORED_VARIATIONS:
        raise LimitReachedError(f"an experiment has at most {MAX_VARIATIONS} variations")
    return after


def _made(experiment: Experiment, given: VariationFields, identity: tuple[str, str]) -> Variation:
    variation_id, public_id = identity
    fields = {"weight": 0.0, "is_control": False, **_tidy(given, experiment.delivery_type)}
    return Variation(id=variation_id, public_id=public_id, experiment_id=experiment.id, **fields)


def archive(experiment: Experiment, variation_id: str, *, now: Timestamp, user_id: str) -> Experiment:
    """Return the experiment with the variation archived; it stays as it is when it already was."""
    variation = find(experiment, variation_id)
    if variation.archived_at is not None:
        return experiment
    if variation.is_control:
        raise refused("is_control", "the control cannot be archived")
    return _with(experiment, replace(variation, archived_at=now, archived_by=user_id))


def unarchive(experiment: Experiment, variation_id: str) -> Experiment:
    """Return the experiment with the variation back in use."""
    variation = find(experiment, variation_id)
    if variation.archived_at is not None and len(in_use(experiment)) >= MAX_VARIATIONS:
        raise LimitReachedError(f"an experiment has at most {MAX_VARIATIONS} variations")
    return _with(experiment, replace(variation, archived_at=None, archived_by=None))


def delete(experiment: Experiment, variation_id: str) -> Experiment:
    """Return the experiment without the variation. Raises NotDeletableError unless it is a draft that never started."""
    gone = find(experiment, variation_id)
    if not is_untested(experiment):
        raise NotDeletableError("only variations of drafts that never started can be deleted; archive it instead")
    return replace(experiment, variations=tuple(item for item in experiment.variations if item.id != gone.id))


def weigh(experiment: Experiment, weights: Mapping[str, float]) -> Experiment:
    """Return the experiment with these weights by id or public id; each variation in use is named once."""
    used = {key: item.id for item in in_use(experiment) for key in (item.id, item.public_id)}
    for key in weights:
        if key not in used:
            raise refused(f"weights.{key}", "must be a variation of this experiment that is not archived")
    by_id = {used[key]: weight for key, weight in weights.items()}
    # Two keys may name one variation, by its id and its public id.
    if len(by_id) != len(weights) or len(by_id) != len(in_use(experiment)):
        raise refused("weights", "must name each variation in use once")
    weighed = (replace(item, weight=by_id.get(item.id, item.weight)) for item in experiment.variations)
    return replace(experiment, variations=tuple(weighed))


def find(experiment: Experiment, variation_id: str) -> Variation:
    """Return the variation with this id or public id. Raises NotFoundError."""
    for variation in experiment.variations:
        if variation_id in (variation.id, variation.public_id):
            return variation
    raise NotFoundError("the experiment has no variation with this id")


def is_untested(experiment: Experiment) -> bool:
    """Return whether no visitor can have seen the experiment: a draft that never started."""
    return experiment.status == "draft" and experiment.started_at is None


def _with(experiment: Experiment, changed: Variation) -> Experiment:
    kept = (changed if item.id == changed.id else item for item in experiment.variations)
    return replace(experiment, variations=tuple(kept))


def _tidy(given: VariationFields, delivery_type: DeliveryType) -> dict[str, Any]:
    """Return given fields as the aggregate holds them."""
    fields: dict[str, Any] = {**given}
    # Where nothing redirects, a null redirect has no meaning and must not count as a change.
    if delivery_type == "mutation" and fields.get("redirect_url", "") is None:
        del fields["redirect_url"]
    if "mutations" in fields:
        fields["mutations"] = tuple(fields["mutations"])
    if fields.get("url_blocks") is not None:
        fields["url_blocks"] = tuple(fields["url_blocks"])
    return fields
