"""Design of an experiment: the hash that an approval refers to, and the comparison of what shoppers see."""

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal, digested
from abtest.kit import canonical_json
from abtest.kit.documents import Document, encode

_CODE = ("experiment_js", "experiment_reset_js", "experiment_css")
# Outside of the hash: a rename must not take an approval back.
_BOOKKEEPING = frozenset({"name", "public_id", "experiment_id", "archived_by", "created_at", "updated_at"})


def design_hash(experiment: Experiment) -> str:
    """Return the hex SHA-256 over variations, code, targeting, redirects and goals, without names and times."""
    return canonical_json.sha256(
        {
            **_shown(experiment),
            "goals": [_design(goal) for goal in experiment.goals],
            "goal_page_rules": list(experiment.goal_page_rules),
        }
    )


def reaches_shoppers(before: Experiment, after: Experiment) -> bool:
    """Return whether an edit changes who sees what: weights, traffic, targeting, redirects or code."""
    return before.traffic_allocation != after.traffic_allocation or _shown(before) != _shown(after)


def weights_in_use(experiment: Experiment) -> tuple[tuple[str, float], ...]:
    """Return ids and weights of the variations in use, in stored order: they decide the cut points."""
    return tuple((variation.id, variation.weight) for variation in in_use(experiment))


def in_use(experiment: Experiment) -> tuple[Variation, ...]:
    """Return the variations that are not archived."""
    return tuple(variation for variation in experiment.variations if variation.archived_at is None)


def shown_bytes(experiment: Experiment) -> int:
    """Return about how many bytes shoppers load for the experiment."""
    return len(canonical_json.encode(_shown(experiment)))


def _shown(experiment: Experiment) -> Document:
    return {
        "delivery_type": experiment.delivery_type,
        "targeting": experiment.targeting,
        "code": {name: getattr(experiment, name) for name in _CODE},
        "variations": [_design(variation) for variation in in_use(experiment)],
    }


def _design(part: Variation | Goal) -> Document:
    document = digested(part) if isinstance(part, Goal) else encode(part)
    return {name: value for name, value in document.items() if name not in _BOOKKEEPING}
