"""Experiments as tests need them: a plain one that can be launched, and small changes to it."""

from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Occasion
from abtest.domain.experiments.design import design_hash
from abtest.domain.experiments.model import Approval, Experiment, Status, Variation
from abtest.domain.goals.model import Goal

NOW = "2026-03-02T09:00:00.000Z"
LATER = "2026-03-03T09:00:00.000Z"
SHOP = "019c0000-0000-7000-8000-00000000000a"
EXPERIMENT = "019c0000-0000-7000-8000-000000000001"
CONTROL = "019c0000-0000-7000-8000-0000000000c0"
TREATMENT = "019c0000-0000-7000-8000-0000000000c1"
GOAL = "019c0000-0000-7000-8000-0000000000d0"
USER = "019c0000-0000-7000-8000-0000000000f0"

OCCASION = Occasion(now=LATER, user_id=USER, event_id="019c0000-0000-7000-8000-0000000000e0")


def goal(**fields: Any) -> Goal:
    """A goal that counts clicks."""
    plain: dict[str, Any] = {"id": GOAL, "experiment_id": EXPERIMENT, "name": "Buys", "type": "click", "selector": "#b"}
    return Goal(**{**plain, "created_at": NOW, "updated_at": NOW, **fields})


def experiment(**fields: Any) -> Experiment:
    """A draft with a control, a treatment that changes something, and a primary goal."""
    control = Variation(
        id=CONTROL, public_id="1000000001", experiment_id=EXPERIMENT, name="A", weight=0.5, is_control=True
    )
    treatment = Variation(
        id=TREATMENT,
        public_id="1000000002",
        experiment_id=EXPERIMENT,
        name="B",
        weight=0.5,
        is_control=False,
        custom_css="h1 { color: red }",
    )
    plain: dict[str, Any] = {
        "id": EXPERIMENT,
        "shop_id": SHOP,
        "name": "Headline",
        "created_at": NOW,
        "updated_at": NOW,
        "variations": (control, treatment),
        "goals": (goal(is_primary=True, role="primary"),),
    }
    return Experiment(**{**plain, **fields})


def in_status(status: Status, **fields: Any) -> Experiment:
    """The experiment as it is in a status, started where it must have been."""
    started = NOW if status in ("running", "paused", "completed") else None
    return experiment(status=status, started_at=started, measurement_started_at=started, **fields)


def approved(base: Experiment, status: str = "approved") -> Experiment:
    """The experiment with an approval of its present design."""
    given: Any = status
    return replace(base, approval=Approval(status=given, updated_at=NOW, design_hash=design_hash(base)))


def arm(base: Experiment, index: int, **fields: Any) -> Experiment:
    """The experiment with one variation changed."""
    changed = [replace(v, **fields) if i == index else v for i, v in enumerate(base.variations)]
    return replace(base, variations=tuple(changed))
