"""Documents of running counts: everything in DailyCounts, so that another process can continue with them.

The documents of roll-ups are for readers of results and leave out what those do not need.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from abtest.domain.ledger.cells import Counts, Covariate, GoalCount, SessionCount, Step
from abtest.domain.ledger.daily_counts import DailyCounts, Document, Piece, Slice, counted_from

Value = TypeVar("Value", GoalCount, Covariate)


def document_of(counts: DailyCounts) -> Document:
    """Return the document of the counts. Equal counts have equal documents."""
    rest = counts.rest
    return {
        "pieces": [[*slice_, piece.body] for slice_, piece in sorted(counts.pieces.items())],
        # A goal without a hit was still counted, so goals are stored by name.
        "goals": sorted(rest.goals),
        "money": sorted(rest.money),
        "spread": _steps(rest.spread),
        "covariates": {
            goal_id: {name: list(covariate) for name, covariate in by_variation.items()}
            for goal_id, by_variation in rest.covariates.items()
        },
        "covariate_steps": _steps(rest.covariate_steps),
        "sessions": {name: list(count) for name, count in rest.sessions.items()},
        "multiple_exposure": rest.multiple_exposure,
        "through": rest.through,
    }


def daily_counts_of(document: Document) -> DailyCounts:
    """Read a document. Raises KeyError, TypeError or ValueError for anything else."""
    return DailyCounts(
        pieces={Slice(kind, date): Piece(counted_from([body])) for kind, date, body in document["pieces"]},
        rest=Counts(
            goals={goal_id: {} for goal_id in document["goals"]},
            money={goal_id: {} for goal_id in document["money"]},
            spread=_of_steps(document["spread"], GoalCount),
            covariates={
                goal_id: {name: Covariate(*sums) for name, sums in by_variation.items()}
                for goal_id, by_variation in document["covariates"].items()
            },
            covariate_steps=_of_steps(document["covariate_steps"], Covariate),
            sessions={name: SessionCount(*numbers) for name, numbers in document["sessions"].items()},
            multiple_exposure=document["multiple_exposure"],
            through=document["through"],
        ),
    )


def _steps(by_goal: Mapping[str, Mapping[Step, Iterable[int]]]) -> Document:
    return {
        goal_id: [[*step, *numbers] for step, numbers in sorted(steps.items())] for goal_id, steps in by_goal.items()
    }


def _of_steps(document: Mapping[str, Any], kind: type[Value]) -> dict[str, dict[Step, Value]]:
    return {
        goal_id: {Step(name, ceiling): kind(*numbers) for name, ceiling, *numbers in steps}
        for goal_id, steps in document.items()
    }
