"""The design: what an approval is about, and what shoppers see; a hash of the first, a comparison of the second."""

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.kit import canonical_json
from abtest.kit.documents import Document, encode

_CODE = ("experiment_js", "experiment_reset_js", "experiment_css")
_BOOKKEEPING = frozenset({"name", "public_id", "experiment_id", "archived_by", "created_at", "updated_at"})


def design_hash(experiment: Experiment) -> str:
    """Hex SHA-256 over variations, code, targeting, redirects and goals; names and times are not in it."""
    return canonical_json.sha256(
        {
            **_shown(experiment),
            "goals": [_goal_design(goal) for goal in experiment.goals],
            "goal_page_rules": list(experiment.goal_page_rules),
        }
    )


def reaches_shoppers(before: Experiment, after: Experiment) -> bool:
    """Whether an edit changes who sees what: weights, traffic, targeting, redirects or code."""
    return before.traffic_allocation != after.traffic_allocation or _shown(before) != _shown(after)


def weights_in_use(experiment: Experiment) -> tuple[tuple[str, float], ...]:
    """Ids and weights of the variations in use, in stored order: what decides the cut points."""
    return tuple((variation.id, variation.weight) for variation in in_use(experiment))


def in_use(experiment: Experiment) -> tuple[Variation, ...]:
    """The variations that are not archived."""
    return tuple(variation for variation in experiment.variations if variation.archived_at is None)


def shown_bytes(experiment: Experiment) -> int:
    """About how many bytes shoppers load for the experiment."""
    return len(canonical_json.encode(_shown(experiment)))


def _shown(experiment: Experiment) -> Document:
    return {
        "delivery_type": experiment.delivery_type,
        "targeting": experiment.targeting,
        "code": {name: getattr(experiment, name) for name in _CODE},
        "variations": [_variation_design(variation) for variation in in_use(experiment)],
    }


def _variation_design(variation: Variation) -> Document:
    return _without_bookkeeping(encode(variation))


def _goal_design(goal: Goal) -> Document:
    return _without_bookkeeping(encode(goal))


def _without_bookkeeping(document: Document) -> Document:
    return {name: value for name, value in document.items() if name not in _BOOKKEEPING}
