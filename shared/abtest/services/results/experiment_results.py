"""Results of an experiment or a personalization: each goal with a row for each variation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.contract import results as contract
from abtest.domain.autostop.default_engine import EngineChoice
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import State
from abtest.domain.personalizations.measurement import measured
from abtest.domain.personalizations.model import Personalization
from abtest.kit.documents import decode
from abtest.kit.errors import FieldError, NotFoundError, ValidationFailedError, refused
from abtest.ports.looks import LookStore
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.counts import Counts, counts_of_totals
from abtest.services.results.engine_choices import choice_of, engine_fields
from abtest.services.results.families import correction_message
from abtest.services.results.guardrails import guardrails_of, has_guardrails
from abtest.services.results.health import health, seen_by_guardian
from abtest.services.results.measurements import Measurements, measurement_of
from abtest.services.results.planned_looks import planned_looks_of
from abtest.services.results.population import WHOLE, Population, Range, population_of
from abtest.services.results.progress import progress_of
from abtest.services.results.question import Question
from abtest.services.results.rows import goal_results
from abtest.services.results.segments import breakdown
from abtest.services.results.shop_rules import Coverage, ShopRules, chosen_goals
from abtest.services.results.snapshots import RollupReader, Snapshot
from abtest.services.results.splits import sample_ratio_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsQuery:
    """Goals, engine and population of a request. `segment`: a dimension, or a dimension and its value.

    `engine` None: the experiment's default.
    """

    goal_ids: Sequence[str] = ()
    engine: contract.Engine | None = None
    correction: contract.Correction | None = None
    family: contract.CorrectionFamily = "treatments"
    range: Range = WHOLE
    segment: tuple[contract.Dimension, str | None] | None = None

    @property
    def filter(self) -> tuple[contract.Dimension, str] | None:
        """Segment that all figures are narrowed to."""
        if self.segment is None or self.segment[1] is None:
            return None
        return self.segment[0], self.segment[1]

    @property
    def is_of_everybody(self) -> bool:
        """True for the population of auto-stop's looks: all visitors who count in the measurement."""
        return self.range == WHOLE and self.filter is None

    def check(self) -> None:
        """Raise ValidationFailedError for what the engine cannot compute."""
        field = None
        if self.engine == "bayesian" and self.correction in ("holm", "bh"):
            message = f"must be none: {self.correction} corrects p-values, and the bayesian engine has none"
            field = FieldError("correction", message)
        elif self.family != "treatments" and (self.engine == "bayesian" or self.correction == "none"):
            field = FieldError("correction_family", "must be treatments, or left out, where nothing is corrected")
        elif self.engine == "bayesian" and self.segment is not None and self.filter is None:
            field = FieldError("segment", "must be one segment, such as device:mobile, for the bayesian engine")
        elif self.engine == "group_sequential" and not self.is_of_everybody:
            field = FieldError("engine", "must be sequential or frequentist: planned looks are of all visitors")
        if field is not None:
            raise ValidationFailedError("the engine cannot answer this", fields=[field])

    def check_engine(self, engine: contract.Engine) -> None:
        """Raise ValidationFailedError for a correction that planned looks, requested or by default, do not have."""
        if engine != "group_sequential":
            return
        reason = "planned looks share their error over the treatments of one goal; or send engine=sequential"
        if self.correction == "bh":
            raise refused("correction", f"must be holm or none: {reason}")
        if self.family == "goals":
            raise refused("correction_family", f"must be treatments or goals_primary_apart: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementContext:
    """Facts of a measurement that are not in its counts: why it began, and Guardian's state."""

    measurement: contract.Measurement
    seen: State | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedQuery:
    """Query resolved against one snapshot: the analysis, its population, and their counts."""

    question: Question
    choice: EngineChoice
    population: Population
    counts: Counts


class Results:
    """Results in the caller's shop."""

    def __init__(self, world: World, reader: RollupReader, looks: LookStore) -> None:
        self._world = world
        self._reader = reader
        self._looks = looks
        self._coverage = Coverage(world, reader.store)
        self._measurements = Measurements(world.catalog)

    def read(self, caller: Caller, reference: str, query: ResultsQuery) -> contract.Results:
        """Return results by id or public id, of all goals in use or of the named ones.

        The correction is the shop's unless the query names one. Raises NotFoundError for an experiment or a goal that
        the shop does not have, ValidationFailedError for a range that cannot be read.
        """
        query.check()
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        return self._read(experiment, ShopRules(catalog, caller.shop_id), query, self.context(experiment))

    def context(self, experiment: Experiment) -> MeasurementContext:
        """Return the facts of the present measurement that are not in its counts."""
        return MeasurementContext(
            measurement=self._measurements.of(experiment),
            seen=seen_by_guardian(self._world.catalog, experiment),
        )

    def coverage(self, experiment: Experiment, rules: ShopRules) -> contract.Coverage:
        """Return the coverage of the present measurement, from days that are read once in five minutes."""
        return self._coverage.of(experiment, rules)

    def of_personalization(
        self, caller: Caller, personalization_id: str, query: ResultsQuery
    ) -> contract.PersonalizationResults:
        """Return the results of each experience against eligible visitors who were not shown it.

        Raises NotFoundError for a personalization or a goal that the shop does not have.
        """
        query.check()
        record = self._world.catalog.get(caller.shop_id, "PZN", personalization_id)
        if record is None:
            raise NotFoundError("no such personalization")
        personalization = decode(Personalization, record.body)
        rules, experiences = ShopRules(self._world.catalog, caller.shop_id), []
        for experience, experiment in zip(personalization.experiences, measured(personalization), strict=True):
            context = MeasurementContext(measurement=measurement_of(experiment, "unknown"))
            experiences.append(
                contract.ExperienceResults(
                    experience_id=experience.id,
                    experience_key=experience.key,
                    experience_name=experience.name,
                    results=self._read(experiment, rules, query, context),
                )
            )
        return contract.PersonalizationResults(personalization_id=personalization.id, experiences=experiences)

    def _read(
        self, experiment: Experiment, rules: ShopRules, query: ResultsQuery, context: MeasurementContext
    ) -> contract.Results:
        def compute(snapshot: Snapshot) -> contract.Results:
            return self.evaluate(snapshot, self.prepare(snapshot, experiment, rules, query), rules, query, context)

        return self._reader.read(experiment.id, experiment.measurement_epoch, compute)

    def prepare(
        self, snapshot: Snapshot, experiment: Experiment, rules: ShopRules, query: ResultsQuery
    ) -> PreparedQuery:
        """Resolve a query against a snapshot. Raises OutdatedError, and the errors of `read`."""
        looks = None
        # Stored looks cover all visitors; a part of them is compared without earlier looks.
        if query.is_of_everybody and snapshot.totals:
            looks = self._looks.state(experiment.id, experiment.measurement_epoch)
        return self.prepare_with(snapshot, experiment, rules, query, looks)

    def prepare_with(
        self,
        snapshot: Snapshot,
        experiment: Experiment,
        rules: ShopRules,
        query: ResultsQuery,
        looks: LookState | None,
    ) -> PreparedQuery:
        """Do the same with the state of auto-stop's looks, which the caller has read for many experiments at once."""
        population = population_of(
            experiment, snapshot, query.range, segment=query.filter, by_day=query.segment is not None
        )
        choice = choice_of(experiment, rules, snapshot, query.engine, looks=looks, is_whole=query.is_of_everybody)
        query.check_engine(choice.engine)
        question = rules.question(experiment, snapshot.totals, query.correction, engine=choice.engine, looks=looks)
        question = replace(question, family=query.family)
        counts = population.counts(snapshot)
        return PreparedQuery(question=question, choice=choice, population=population, counts=counts)

    def evaluate(
        self,
        snapshot: Snapshot,
        prepared: PreparedQuery,
        rules: ShopRules,
        query: ResultsQuery,
        context: MeasurementContext,
    ) -> contract.Results:
        """Return the results of a prepared query. Raises OutdatedError, and the errors of `read`."""
        question, population, counts = prepared.question, prepared.population, prepared.counts
        experiment, totals = question.experiment, snapshot.totals or {}
        goals = chosen_goals(experiment, query.goal_ids)
        srm = sample_ratio_of(question, counts, monitored=query.is_of_everybody)
        # Health and progress are those of the whole measurement, also where the query is narrowed.
        twice, everybody = totals.get("multiple_exposure", 0), counts_of_totals(totals) if totals else counts
        by = (query.segment[0],) if query.segment and not query.filter else ()
        settings, visitors = rules.auto_stop(experiment), question.visitors(everybody)
        coverage, looks = self._coverage.of(experiment, rules), question.looks
        if not query.is_of_everybody and has_guardrails(experiment):
            looks = self._looks.state(experiment.id, experiment.measurement_epoch)
        is_covered = not coverage.mixed_populations
        return contract.Results(
            experiment_id=experiment.id,
            measurement_epoch=experiment.measurement_epoch,
            computed_at=totals.get("computed_at"),
            through=totals.get("through"),
            generation=totals.get("generation"),
            **engine_fields(prepared.choice),
            correction=question.correction,
            correction_family=question.family,
            correction_message=correction_message(question.correction, question.family),
            alpha=question.alpha,
            min_visitors=question.minimum.visitors,
            min_conversions=question.minimum.conversions,
            measurement=context.measurement,
            plan=progress_of(experiment, settings, visitors, totals.get("computed_at")),
            planned_looks=planned_looks_of(question),
            goals=goal_results(question, goals, counts),
            guardrails=guardrails_of(experiment, rules, snapshot, looks, is_covered=is_covered),
            srm=srm,
            multiple_exposure=twice,
            **without_sticky(totals),
            health=health(question, everybody, twice, srm, context.seen),
            checked_at=context.seen.checked_at if context.seen else None,
            coverage=coverage,
            narrowed_to=population.narrowing(),
            segments=breakdown(question, goals, population.segments(snapshot, by), by).data if by else None,
        )


def without_sticky(totals: Mapping[str, Any]) -> dict[str, int]:
    """Return the field for sessions that servers reported without sticky; none where they were not counted."""
    counts = [session.get("without_sticky") for session in totals.get("sessions", {}).values()]
    return {} if None in counts or not counts else {"without_sticky": sum(counts)}
