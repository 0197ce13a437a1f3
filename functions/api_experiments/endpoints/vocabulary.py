"""Shared by the family's routes: callers, path parameters, responses."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from fastapi import Query

from abtest.contract.base import ListOf, Output, Pagination, Reference, Uuid
from abtest.contract.experiments import Experiment
from abtest.contract.goals import Goal
from abtest.contract.lifecycle import ApprovalEvent
from abtest.contract.pages import PageConsumer
from abtest.contract.variations import Variation, WeightedVariations, WrittenVariation
from abtest.domain.experiments.model import Experiment as Aggregate
from abtest.domain.experiments.model import Variation as Arm
from abtest.domain.goals.model import Goal as Measure
from abtest.http.deps import Caller, require
from abtest.http.paging import MAX_LIMIT, Paging
from abtest.http.refusals import InvalidCursorError
from abtest.services.aggregates import Saved
from abtest.services.listing import ArchivedFilter

Reader = Annotated[Caller, require("experiments:read")]
Writer = Annotated[Caller, require("experiments:write")]
Launcher = Annotated[Caller, require("experiments:launch")]
Approver = Annotated[Caller, require("approvals:write")]
Auditor = Annotated[Caller, require("audit:read")]
Previewer = Annotated[Caller, require("previews:write")]

ExperimentId = Reference
VariationId = Reference
GoalId = Uuid
Archived = Annotated[
    ArchivedFilter, Query(description="`false` hides archived items, `true` lists only them, `all` lists both.")
]

Part = TypeVar("Part", Variation, Goal, ApprovalEvent, PageConsumer)
Item = TypeVar("Item", bound=Output)


def experiment(saved: Saved[Aggregate]) -> Experiment:
    """Response of a write to an experiment."""
    return Experiment.single(saved.value, saved.warning)


def variation(written: tuple[Saved[Aggregate], Arm]) -> WrittenVariation:
    """Response of a write to a variation: the variation and its measurement."""
    saved, arm = written
    experiment = saved.value
    return WrittenVariation.after(arm, experiment, saved.warning).at(experiment.version)


def goal(written: tuple[Saved[Aggregate], Measure]) -> Goal:
    """Response of a write to a goal."""
    saved, measure = written
    return Goal.of(measure).at(saved.value.version)


def kept(archived: ArchivedFilter, item: Arm | Measure) -> bool:
    """Return whether a list shows the item."""
    return archived == "all" or (archived == "true") == (item.archived_at is not None)


def goals_of(aggregate: Aggregate, archived: ArchivedFilter = "false") -> list[Goal]:
    """Return the goals that a list shows, in their order."""
    return [Goal.of(item) for item in aggregate.goals if kept(archived, item)]


def variations_of(aggregate: Aggregate, archived: ArchivedFilter = "false") -> list[Variation]:
    """Return the variations that a list shows, in their order."""
    return [Variation.of(item) for item in aggregate.variations if kept(archived, item)]


def weighed(saved: Saved[Aggregate]) -> WeightedVariations:
    """Response of a write to all weights: the variations in use and the measurement."""
    experiment = saved.value
    arms = whole([Variation.of(item, saved.warning) for item in experiment.variations if item.archived_at is None])
    measurement = WeightedVariations.measurement_of(experiment)
    return WeightedVariations(data=arms.data, pagination=arms.pagination, **measurement)


def part_of(page: Paging, items: Sequence[Part]) -> ListOf[Part]:
    """Return a page of a list that is part of a resource: the items after the one in the cursor.

    Raises InvalidCursorError when that item no longer exists, because its successors are then unknown.
    """
    ids = [item.id for item in items]
    # The items are not sorted by id, so the list cannot continue after one.
    if page.after is not None and page.after not in ids:
        raise InvalidCursorError("the item of the cursor was deleted; request the list from its start")
    start = 0 if page.after is None else ids.index(page.after) + 1
    shown = items[start : start + page.limit]
    return page.page(shown, shown[-1].id if start + page.limit < len(items) else None)


def whole(items: Sequence[Item]) -> ListOf[Item]:
    """Return a whole list, as writes do."""
    return ListOf[Item](data=list(items), pagination=Pagination(limit=MAX_LIMIT, next_cursor=None, has_more=False))
