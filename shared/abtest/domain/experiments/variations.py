"""Variations of an experiment: made, edited, archived, weighed; the rules that span them stand in `rules`."""

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
    stated: Sequence[VariationFields], identities: Sequence[tuple[str, str]], experiment: Experiment
) -> Experiment:
    """The experiment with its first variations; `identities` are pairs of id and public id, one for each.

    Weights that nobody stated are equal shares; when nobody says which is control, the first is.
    """
    silent_weights = not any("weight" in item for item in stated)
    silent_control = not any("is_control" in item for item in stated)
    made = []
    for position, (item, (variation_id, public_id)) in enumerate(zip(stated, identities, strict=True)):
        fields = {
            "weight": 1 / len(stated) if silent_weights else 0.0,
            "is_control": silent_control and position == 0,
            **_tidy(item, experiment.delivery_type),
        }
        made.append(Variation(id=variation_id, public_id=public_id, experiment_id=experiment.id, **fields))
    return replace(experiment, variations=tuple(made))


def add(experiment: Experiment, stated: VariationFields, variation_id: str, public_id: str) -> Experiment:
    """The experiment with one more variation. Raises LimitReachedError."""
    if len(in_use(experiment)) >= MAX_VARIATIONS or len(experiment.variations) >= MAX_STORED_VARIATIONS:
        raise LimitReachedError(f"an experiment has at most {MAX_VARIATIONS} variations")
    fields = {"weight": 0.0, "is_control": False, **_tidy(stated, experiment.delivery_type)}
    made = Variation(id=variation_id, public_id=public_id, experiment_id=experiment.id, **fields)
    return replace(experiment, variations=(*experiment.variations, made))


def edit(experiment: Experiment, variation_id: str, stated: VariationFields) -> Experiment:
    """The experiment with one variation changed."""
    fields = _tidy(stated, experiment.delivery_type)
    return _with(experiment, replace(find(experiment, variation_id), **fields))


def replace_all(
    experiment: Experiment,
    stated: Sequence[VariationFields],
    identities: Sequence[tuple[str, str]],
    *,
    now: Timestamp,
    user_id: str,
) -> Experiment:
    """The experiment with these variations in this order: known by `id`, or new ones with an identity from the list.

    What is not named is deleted while the experiment is a draft that never started, and archived afterwards.
    """
    made = [
        _named_or_new(experiment, item, identity, f"variations[{index}].")
        for index, (item, identity) in enumerate(zip(stated, identities, strict=True))
    ]
    named = {variation.id for variation in made}
    if len(named) != len(made):
        raise refused("variations", "name a variation twice")
    rest = [variation for variation in experiment.variations if variation.id not in named]
    if _is_deletable(experiment):
        rest = []
    kept = (item if item.archived_at else replace(item, archived_at=now, archived_by=user_id) for item in rest)
    after = replace(experiment, variations=(*made, *kept))
    if len(in_use(after)) > MAX_VARIATIONS or len(after.variations) > MAX_STORED_VARIATIONS:
        raise LimitReachedError(f"an experiment has at most {MAX_VARIATIONS} variations")
    return after


def _named_or_new(experiment: Experiment, stated: VariationFields, identity: tuple[str, str], path: str) -> Variation:
    fields = _tidy(stated, experiment.delivery_type)
    fields.pop("id", None)
    if "id" in stated:
        known = next((item for item in experiment.variations if stated["id"] in (item.id, item.public_id)), None)
        if known is None:
            raise refused(f"{path}id", "is no variation of this experiment")
        return replace(known, **fields)
    new_id, public_id = identity
    blank = {"weight": 0.0, "is_control": False}
    return Variation(id=new_id, public_id=public_id, experiment_id=experiment.id, **{**blank, **fields})


def archive(experiment: Experiment, variation_id: str, *, now: Timestamp, user_id: str) -> Experiment:
    """The experiment with the variation out of use; nothing changes when it already is."""
    variation = find(experiment, variation_id)
    if variation.archived_at is not None:
        return experiment
    if variation.is_control:
        raise refused("is_control", "the control cannot be archived")
    return _with(experiment, replace(variation, archived_at=now, archived_by=user_id))


def unarchive(experiment: Experiment, variation_id: str) -> Experiment:
    """The experiment with the variation back in use."""
    variation = find(experiment, variation_id)
    if variation.archived_at is not None and len(in_use(experiment)) >= MAX_VARIATIONS:
        raise LimitReachedError(f"an experiment has at most {MAX_VARIATIONS} variations")
    return _with(experiment, replace(variation, archived_at=None, archived_by=None))


def delete(experiment: Experiment, variation_id: str) -> Experiment:
    """The experiment without the variation. Raises NotDeletableError unless it is a draft that never started."""
    gone = find(experiment, variation_id)
    if not _is_deletable(experiment):
        raise NotDeletableError("only variations of drafts that never started can be deleted; archive it instead")
    return replace(experiment, variations=tuple(item for item in experiment.variations if item.id != gone.id))


def weigh(experiment: Experiment, weights: Mapping[str, float]) -> Experiment:
    """The experiment with these weights; ids or public ids, each of a variation in use, each of them named."""
    used = {key: item.id for item in in_use(experiment) for key in (item.id, item.public_id)}
    for key in weights:
        if key not in used:
            raise refused(f"weights.{key}", "is no variation in use of this experiment")
    by_id = {used[key]: weight for key, weight in weights.items()}
    if len(by_id) != len(weights) or len(by_id) != len(in_use(experiment)):
        raise refused("weights", "must name each variation in use once")
    weighed = (replace(item, weight=by_id.get(item.id, item.weight)) for item in experiment.variations)
    return replace(experiment, variations=tuple(weighed))


def find(experiment: Experiment, variation_id: str) -> Variation:
    """The variation with this id or public id. Raises NotFoundError."""
    for variation in experiment.variations:
        if variation_id in (variation.id, variation.public_id):
            return variation
    raise NotFoundError("no such variation")


def _is_deletable(experiment: Experiment) -> bool:
    return experiment.status == "draft" and experiment.started_at is None


def _with(experiment: Experiment, changed: Variation) -> Experiment:
    kept = (changed if item.id == changed.id else item for item in experiment.variations)
    return replace(experiment, variations=tuple(kept))


def _tidy(stated: VariationFields, delivery_type: DeliveryType) -> dict[str, Any]:
    """Stated fields as the aggregate holds them; a null redirect means nothing where nothing redirects."""
    fields: dict[str, Any] = {**stated}
    if delivery_type == "mutation" and fields.get("redirect_url", "") is None:
        del fields["redirect_url"]
    if "mutations" in fields:
        fields["mutations"] = tuple(fields["mutations"])
    if fields.get("url_blocks") is not None:
        fields["url_blocks"] = tuple(fields["url_blocks"])
    return fields
