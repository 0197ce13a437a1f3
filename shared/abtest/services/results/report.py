"""The report of an experiment: all facts out of one generation of its roll-up, in words. No page is made here."""

from collections.abc import Sequence
from typing import cast
from zoneinfo import ZoneInfo

from abtest.contract import report as contract
from abtest.contract import results as results_contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import decisive_goal, planned_goal
from abtest.domain.goals.model import Goal
from abtest.domain.guardian.messages import Names
from abtest.kit.clock import parse_timestamp
from abtest.ports.catalog import AuditRow
from abtest.ports.looks import LookStore
from abtest.ports.rollup_store import Document
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.comparing import Question
from abtest.services.results.courses import course_of
from abtest.services.results.narrowing import ORDER, WHOLE, narrowed
from abtest.services.results.questions import ShopRules
from abtest.services.results.reading import RollupReader, Snapshot
from abtest.services.results.segments import breakdown
from abtest.services.results.series import SeriesWish, timeseries_of
from abtest.services.results.set_aside import set_aside
from abtest.services.results.tallies import Tally
from abtest.services.results.timeline import guardian_pause, history_of, timeline_of, what_paused
from abtest.services.results.verdicts import Facts, verdict_of
from abtest.services.results.whole import Results, Standing, Wish

CURVES, SEGMENTS = 5, 12
DAYS_BY_DAY = 120
"""A longer experiment's curves are by week."""

SEGMENT_NOTE = (
    "Segments are to learn from, not to decide by: comparisons are corrected for the number of segments of a dimension "
    "only, and what nobody expected beforehand is to be tested anew."
)


class ReportReading:
    """Reports of the caller's experiments."""

    def __init__(self, world: World, reader: RollupReader, looks: LookStore) -> None:
        self._world = world
        self._reader = reader
        self._looks = looks
        self._results = Results(world, reader, looks)

    def read(self, caller: Caller, reference: str) -> contract.Report:
        """By id or public id. Raises NotFoundError, also for other shops' experiments."""
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        rules, standing = ShopRules(catalog, caller.shop_id), self._results.standing(experiment)
        history = history_of(catalog, experiment)
        looks = self._looks.looks(experiment.id, experiment.measurement_epoch)

        def ask(snapshot: Snapshot) -> contract.Report:
            return self._report(snapshot, experiment, rules, standing, history, looks)

        return self._reader.read(experiment.id, experiment.measurement_epoch, ask)

    def _report(
        self,
        snapshot: Snapshot,
        experiment: Experiment,
        rules: ShopRules,
        standing: Standing,
        history: Sequence[AuditRow],
        looks: Sequence[Document],
    ) -> contract.Report:
        goals = _in_order(experiment)
        wish = Wish(engine=_engine(experiment), goal_ids=[goal.id for goal in goals])
        asked = self._results.ask(snapshot, experiment, rules, wish)
        found = self._results.answer(snapshot, asked, rules, wish, standing)
        question, tally = asked.question, asked.tally
        entries, earlier = timeline_of(experiment, history, question.currency)
        return contract.Report(
            experiment=_about(question, tally),
            generated_at=self._world.now(),
            computed_at=found.computed_at,
            through=found.through,
            generation=found.generation,
            engine=found.engine,
            correction=found.correction,
            alpha=found.alpha,
            currency=question.currency,
            measurement=found.measurement,
            verdict=verdict_of(_facts(question, tally, found, history)),
            goals=found.goals,
            interval_over_time=course_of(question, goals[0], looks) if goals else None,
            curves=_curves(snapshot, question, goals),
            srm=found.srm,
            multiple_exposure=found.multiple_exposure,
            health=found.health,
            checked_at=found.checked_at,
            coverage=found.coverage,
            money_set_aside=set_aside(question, goals, tally),
            segments=_segments(snapshot, question, goals[:1]),
            segment_note=SEGMENT_NOTE,
            plan=found.plan,
            timeline=entries,
            timeline_left_out=earlier,
        )


def _engine(experiment: Experiment) -> results_contract.Engine:
    """Whoever may look at any time needs the sequential one; what was stopped by its one planned look does not."""
    is_evaluated = (experiment.planned_test or {}).get("evaluation") is not None
    return "frequentist" if is_evaluated and experiment.status != "running" else "sequential"


def _in_order(experiment: Experiment) -> list[Goal]:
    """Goals in use, the one that decides first: after the planned look the plan's."""
    first = decisive_goal(experiment)
    if _engine(experiment) == "frequentist":
        first = planned_goal(experiment) or first
    goals = [goal for goal in experiment.goals if goal.archived_at is None]
    return sorted(goals, key=lambda goal: goal is not first)


def _about(question: Question, tally: Tally) -> contract.ReportExperiment:
    experiment = question.experiment
    arms = sorted(question.variations, key=lambda variation: not variation.is_control)
    return contract.ReportExperiment(
        id=experiment.id,
        public_id=experiment.public_id,
        name=experiment.name,
        description=experiment.description,
        status=experiment.status,
        counting_type=experiment.counting_type,
        started_at=experiment.started_at,
        ended_at=experiment.ended_at,
        archived_at=experiment.archived_at,
        outcome=experiment.outcome,
        winning_variation_id=experiment.winning_variation_id,
        learning=experiment.learning,
        variations=[
            contract.ReportVariation(
                id=arm.id,
                name=arm.name,
                is_control=arm.is_control,
                weight=arm.weight,
                visitors=tally.visitors.get(arm.id, 0),
            )
            for arm in arms
        ],
    )


def _facts(question: Question, tally: Tally, found: results_contract.Results, history: Sequence[AuditRow]) -> Facts:
    experiment = question.experiment
    pause = guardian_pause(history) if experiment.status != "running" else None
    names = Names.of(experiment, question.currency)
    return Facts(
        experiment=experiment,
        visitors=question.visitors(tally),
        goal=found.goals[0] if found.goals else None,
        plan=found.plan,
        srm=found.srm,
        health=found.health,
        coverage=found.coverage,
        harm=what_paused(pause, names) if pause else None,
    )


def _curves(snapshot: Snapshot, question: Question, goals: Sequence[Goal]) -> results_contract.Timeseries | None:
    began, totals = question.experiment.measurement_started_at, snapshot.totals
    if totals is None or began is None or not goals:
        return None
    shown = (parse_timestamp(totals["computed_at"]) - parse_timestamp(began)).days
    wish = SeriesWish(granularity="day" if shown <= DAYS_BY_DAY else "week")
    return timeseries_of(snapshot, question, goals[:CURVES], wish, ZoneInfo("UTC"))


def _segments(snapshot: Snapshot, question: Question, goals: Sequence[Goal]) -> list[contract.ReportSegments]:
    if snapshot.totals is None or not goals:
        return []
    which, told = narrowed(question.experiment, snapshot, WHOLE, by_day=True), []
    for name in ORDER:
        dimension = cast("results_contract.Dimension", name)
        found = breakdown(question, goals, which.segments(snapshot, (dimension,)), (dimension,))
        shown = found.data[:SEGMENTS]
        left_out = found.left_out + len(found.data) - len(shown)
        told.append(contract.ReportSegments(dimension=dimension, segments=shown, left_out=left_out))
    return told
