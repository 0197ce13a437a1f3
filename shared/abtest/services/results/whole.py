"""Results of an experiment or a personalization: each goal with a row for each variation."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.contract import results as contract
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import State
from abtest.domain.personalizations.measurement import measured
from abtest.domain.personalizations.model import Personalization
from abtest.kit.documents import decode
from abtest.kit.errors import FieldError, NotFoundError, ValidationFailedError
from abtest.ports.looks import LookStore
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.comparing import Question
from abtest.services.results.health import health, seen_by_guardian
from abtest.services.results.measurements import Measurements, told
from abtest.services.results.narrowing import WHOLE, Narrowed, Range, narrowed
from abtest.services.results.progress import progress_of
from abtest.services.results.questions import Coverage, ShopRules, chosen_goals
from abtest.services.results.reading import RollupReader, Snapshot
from abtest.services.results.rows import goal_results
from abtest.services.results.segments import breakdown
from abtest.services.results.splits import sample_ratio_of
from abtest.services.results.tallies import Tally, of_totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What of the results is asked for. `segment`: a dimension, or a dimension and its value."""

    goal_ids: Sequence[str] = ()
    engine: contract.Engine = "frequentist"
    correction: contract.Correction | None = None
    range: Range = WHOLE
    segment: tuple[contract.Dimension, str | None] | None = None

    @property
    def filter(self) -> tuple[contract.Dimension, str] | None:
        """The segment that everything is narrowed to."""
        if self.segment is None or self.segment[1] is None:
            return None
        return self.segment[0], self.segment[1]

    @property
    def is_of_everybody(self) -> bool:
        """Whether it is asked of whom looks are taken: all that count in the measurement."""
        return self.range == WHOLE and self.filter is None

    def check(self) -> None:
        """Raises ValidationFailedError for what the engine does not do."""
        if self.engine != "bayesian":
            return
        if self.correction == "holm":
            raise _refused("correction", "Holm corrects p-values, and the bayesian engine has none")
        if self.segment is not None and self.filter is None:
            raise _refused("segment", "the bayesian engine takes one segment, such as device:mobile, not all of them")


def _refused(field: str, why: str) -> ValidationFailedError:
    return ValidationFailedError("the engine cannot answer this", fields=[FieldError(field, why)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known of an experiment beside its counts: what began the measurement, what Guardian saw of it."""

    measurement: contract.Measurement
    seen: State | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of one generation of the counts, of which visitors, and what is counted of those."""

    question: Question
    which: Narrowed
    tally: Tally


class Results:
    """Results in the caller's shop."""

    def __init__(self, world: World, reader: RollupReader, looks: LookStore) -> None:
        self._world = world
        self._reader = reader
        self._looks = looks
        self._coverage = Coverage(world, reader.store)
        self._measurements = Measurements(world.catalog)

    def read(self, caller: Caller, reference: str, wish: Wish) -> contract.Results:
        """Results by id or public id, of all goals in use or the named ones; the shop's correction unless one is named.

        Raises NotFoundError for an experiment, or a goal of it, that the shop does not have, ValidationFailedError for
        a range that cannot be read.
        """
        wish.check()
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        return self._of(experiment, ShopRules(catalog, caller.shop_id), wish, self.standing(experiment))

    def standing(self, experiment: Experiment) -> Standing:
        """What is known of an experiment beside its counts."""
        return Standing(
            measurement=self._measurements.of(experiment),
            seen=seen_by_guardian(self._world.catalog, experiment),
        )

    def of_personalization(
        self, caller: Caller, personalization_id: str, wish: Wish
    ) -> contract.PersonalizationResults:
        """Results of each experience against those who would have got it and were not shown it.

        Raises NotFoundError for a personalization, or a goal of it, that the shop does not have.
        """
        wish.check()
        record = self._world.catalog.get(caller.shop_id, "PZN", personalization_id)
        if record is None:
            raise NotFoundError("no such personalization")
        personalization = decode(Personalization, record.body)
        rules = ShopRules(self._world.catalog, caller.shop_id)
        return contract.PersonalizationResults(
            personalization_id=personalization.id,
            experiences=[
                contract.ExperienceResults(
                    experience_id=experience.id,
                    experience_key=experience.key,
                    experience_name=experience.name,
                    results=self._of(experiment, rules, wish, Standing(measurement=told(experiment, "unknown"))),
                )
                for experience, experiment in zip(personalization.experiences, measured(personalization), strict=True)
            ],
        )

    def _of(self, experiment: Experiment, rules: ShopRules, wish: Wish, standing: Standing) -> contract.Results:
        return self._reader.read(
            experiment.id,
            experiment.measurement_epoch,
            lambda snapshot: self.answer(snapshot, self.ask(snapshot, experiment, rules, wish), rules, wish, standing),
        )

    def ask(self, snapshot: Snapshot, experiment: Experiment, rules: ShopRules, wish: Wish) -> Asked:
        """What a wish comes to in a snapshot. Raises OutdatedError, and the errors of `read`."""
        which = narrowed(experiment, snapshot, wish.range, segment=wish.filter, by_day=wish.segment is not None)
        looks = self._stored_looks(experiment, snapshot) if wish.is_of_everybody else None
        question = rules.question(experiment, snapshot.totals, wish.correction, engine=wish.engine, looks=looks)
        return Asked(question=question, which=which, tally=which.tally(snapshot))

    def _stored_looks(self, experiment: Experiment, snapshot: Snapshot) -> LookState | None:
        """What stands of earlier looks; without counts there were none."""
        return self._looks.state(experiment.id, experiment.measurement_epoch) if snapshot.totals else None

    def answer(
        self, snapshot: Snapshot, asked: Asked, rules: ShopRules, wish: Wish, standing: Standing
    ) -> contract.Results:
        """What the snapshot says to it. Raises OutdatedError, and the errors of `read`."""
        question, which, tally = asked.question, asked.which, asked.tally
        experiment, totals = question.experiment, snapshot.totals or {}
        goals = chosen_goals(experiment, wish.goal_ids)
        srm = sample_ratio_of(question, tally, monitored=wish.is_of_everybody)
        twice, everybody = totals.get("multiple_exposure", 0), of_totals(totals) if totals else tally
        by = wish.segment[0] if wish.segment and not wish.filter else None
        settings, visitors = rules.auto_stop(experiment), question.visitors(everybody)
        return contract.Results(
            experiment_id=experiment.id,
            measurement_epoch=experiment.measurement_epoch,
            computed_at=totals.get("computed_at"),
            through=totals.get("through"),
            generation=totals.get("generation"),
            engine=question.engine,
            correction=question.correction,
            alpha=question.alpha,
            min_visitors=question.minimum.visitors,
            min_conversions=question.minimum.conversions,
            measurement=standing.measurement,
            plan=progress_of(experiment, settings, visitors, totals.get("computed_at")),
            goals=goal_results(question, goals, tally),
            srm=srm,
            multiple_exposure=twice,
            health=health(question, everybody, twice, srm, standing.seen),
            checked_at=standing.seen.checked_at if standing.seen else None,
            coverage=self._coverage.of(experiment, rules),
            narrowed_to=which.told(),
            segments=breakdown(question, goals, which.segments(snapshot, (by,)), (by,)).data if by else None,
        )
