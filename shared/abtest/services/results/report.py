"""The report of an experiment: all facts out of one generation of its roll-up, in words. No page is rendered here."""

from collections.abc import Sequence
from typing import cast
from zoneinfo import ZoneInfo

from abtest.contract import planning as planning_contract
from abtest.contract import report as contract
from abtest.contract import results as results_contract
from abtest.domain.goals.model import Goal
from abtest.kit.clock import parse_timestamp
from abtest.ports.looks import LookStore
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.advice import Grounds, advice_of
from abtest.services.results.conclusions import facts_of, goals_in_order
from abtest.services.results.counts import Counts
from abtest.services.results.engine_choices import choice_of
from abtest.services.results.evidence import evidence_in
from abtest.services.results.experiment_results import Results, ResultsQuery
from abtest.services.results.interval_course import course_of
from abtest.services.results.pictures import pictures_of
from abtest.services.results.population import ORDER, WHOLE, population_of
from abtest.services.results.progress import effects_by_day
from abtest.services.results.question import Question, reading_of
from abtest.services.results.segments import breakdown
from abtest.services.results.series import SeriesQuery, timeseries_of
from abtest.services.results.set_aside import set_aside
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import RollupReader, Snapshot
from abtest.services.results.timeline import history_of, timeline_of
from abtest.services.results.verdicts import verdict_of

CURVES, SEGMENTS = 5, 12
DAYS_BY_DAY = 120
"""Curves of a longer experiment are by week."""

SEGMENT_NOTE = (
    "Use segments to learn, not to decide. Comparisons are corrected only for the number of segments of a dimension; "
    "test again whatever no one expected beforehand."
)


class ReportReading:
    """Reports of the caller's experiments."""

    def __init__(self, world: World, reader: RollupReader, looks: LookStore, assets_origin: str = "") -> None:
        self._world = world
        self._assets_origin = assets_origin
        self._reader = reader
        self._looks = looks
        self._results = Results(world, reader, looks)

    def read(self, caller: Caller, reference: str) -> contract.Report:
        """Return the report by id or public id. Raises NotFoundError, also for other shops' experiments."""
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        rules, context = ShopRules(catalog, caller.shop_id), self._results.context(experiment)
        history = history_of(catalog, experiment)
        looks = self._looks.looks(experiment.id, experiment.measurement_epoch)
        state = self._looks.state(experiment.id, experiment.measurement_epoch)
        pictures = pictures_of(catalog, experiment, self._assets_origin)

        def compute(snapshot: Snapshot) -> contract.Report:
            choice = choice_of(experiment, rules, snapshot, looks=state)
            goals = goals_in_order(experiment, choice.engine)
            query = ResultsQuery(goal_ids=[goal.id for goal in goals])
            prepared = self._results.prepare(snapshot, experiment, rules, query)
            results = self._results.evaluate(snapshot, prepared, rules, query, context)
            question, counts = prepared.question, prepared.counts
            facts = facts_of(question, counts, results, history)
            verdict = verdict_of(facts)
            advice = advice_of(
                Grounds(
                    question=question,
                    readings=[reading_of(question, goal, counts) for goal in goals],
                    results=results,
                    verdict=verdict,
                    evidence=evidence_in(snapshot, rules, experiment),
                    history=history,
                    is_guardians_pause=facts.harm is not None,
                )
            )
            entries, earlier = timeline_of(experiment, history, question.currency)
            return contract.Report(
                experiment=report_experiment(question, counts),
                generated_at=self._world.now(),
                computed_at=results.computed_at,
                through=results.through,
                generation=results.generation,
                engine=results.engine,
                engine_reason=results.engine_reason,
                engine_message=results.engine_message,
                correction=results.correction,
                correction_family=results.correction_family,
                correction_message=results.correction_message,
                alpha=results.alpha,
                currency=question.currency,
                measurement=results.measurement,
                verdict=verdict,
                **advice,
                goals=results.goals,
                guardrails=results.guardrails,
                # Where planned looks decide, an always-valid interval next to them would be a second test.
                interval_over_time=course_of(question, goals[0], looks)
                if results.goals and results.goals[0].engine != "group_sequential"
                else None,
                curves=curves_of(snapshot, question, goals),
                srm=results.srm,
                multiple_exposure=results.multiple_exposure,
                health=results.health,
                checked_at=results.checked_at,
                coverage=results.coverage,
                money_set_aside=set_aside(question, goals, counts),
                segments=segments_of(snapshot, question, goals[:1]),
                segment_note=SEGMENT_NOTE,
                plan=results.plan,
                planned_looks=results.planned_looks,
                detectable_effects=[
                    planning_contract.DetectableEffect(**point._asdict())
                    for point in effects_by_day(experiment, question.visitors(counts), results.computed_at)
                ],
                pictures=pictures,
                timeline=entries,
                timeline_left_out=earlier,
            )

        return self._reader.read(experiment.id, experiment.measurement_epoch, compute)


def report_experiment(question: Question, counts: Counts) -> contract.ReportExperiment:
    """Return the experiment's own facts, its variations with the control first."""
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
        scheduled_end_at=experiment.scheduled_end_at,
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
                visitors=counts.visitors.get(arm.id, 0),
            )
            for arm in arms
        ],
    )


def curves_of(snapshot: Snapshot, question: Question, goals: Sequence[Goal]) -> results_contract.Timeseries | None:
    """Return the cumulative series of the first goals, by day or week; None before the first count."""
    began, totals = question.experiment.measurement_started_at, snapshot.totals
    if totals is None or began is None or not goals:
        return None
    days = (parse_timestamp(totals["computed_at"]) - parse_timestamp(began)).days
    query = SeriesQuery(granularity="day" if days <= DAYS_BY_DAY else "week")
    return timeseries_of(snapshot, question, goals[:CURVES], query, ZoneInfo("UTC"))


def segments_of(snapshot: Snapshot, question: Question, goals: Sequence[Goal]) -> list[contract.ReportSegments]:
    """Return the largest segments of each dimension; none before the first count."""
    if snapshot.totals is None or not goals:
        return []
    population, tables = population_of(question.experiment, snapshot, WHOLE, by_day=True), []
    for name in ORDER:
        dimension = cast("results_contract.Dimension", name)
        segments = breakdown(question, goals, population.segments(snapshot, (dimension,)), (dimension,))
        shown = segments.data[:SEGMENTS]
        left_out = segments.left_out + len(segments.data) - len(shown)
        tables.append(contract.ReportSegments(dimension=dimension, segments=shown, left_out=left_out))
    return tables
