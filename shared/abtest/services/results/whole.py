"""Results of an experiment or a personalization: each goal with a row for each variation."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.personalizations.documents import personalization_from
from abtest.domain.personalizations.measurement import measured
from abtest.kit.errors import NotFoundError
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.comparing import Question, goal_results, health, sample_ratio_of
from abtest.services.results.narrowing import WHOLE, Narrowed, Range, narrowed
from abtest.services.results.questions import Coverage, ShopRules, chosen_goals
from abtest.services.results.reading import RollupReader, Snapshot
from abtest.services.results.segments import breakdown
from abtest.services.results.tallies import of_totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What of the results is asked for. `segment`: a dimension, or a dimension and its value."""

    goal_ids: Sequence[str] = ()
    correction: contract.Correction | None = None
    range: Range = WHOLE
    segment: tuple[contract.Dimension, str | None] | None = None

    @property
    def filter(self) -> tuple[contract.Dimension, str] | None:
        """The segment that everything is narrowed to."""
        if self.segment is None or self.segment[1] is None:
            return None
        return self.segment[0], self.segment[1]


class Results:
    """Results in the caller's shop."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader
        self._coverage = Coverage(world, reader.store)

    def read(self, caller: Caller, reference: str, wish: Wish) -> contract.Results:
        """Results by id or public id, of all goals in use or the named ones; the shop's correction unless one is named.

        Raises NotFoundError for an experiment, or a goal of it, that the shop does not have, ValidationFailedError for
        a range that cannot be read.
        """
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        return self._of(experiment, ShopRules(catalog, caller.shop_id), wish)

    def of_personalization(
        self, caller: Caller, personalization_id: str, wish: Wish
    ) -> contract.PersonalizationResults:
        """Results of each experience against those who would have got it and were not shown it.

        Raises NotFoundError for a personalization, or a goal of it, that the shop does not have.
        """
        record = self._world.catalog.get(caller.shop_id, "PZN", personalization_id)
        if record is None:
            raise NotFoundError("no such personalization")
        personalization = personalization_from(record.body)
        rules = ShopRules(self._world.catalog, caller.shop_id)
        return contract.PersonalizationResults(
            personalization_id=personalization.id,
            experiences=[
                contract.ExperienceResults(
                    experience_id=experience.id,
                    experience_key=experience.key,
                    experience_name=experience.name,
                    results=self._of(experiment, rules, wish),
                )
                for experience, experiment in zip(personalization.experiences, measured(personalization), strict=True)
            ],
        )

    def _of(self, experiment: Experiment, rules: ShopRules, wish: Wish) -> contract.Results:
        def ask(snapshot: Snapshot) -> contract.Results:
            by_day = wish.segment is not None
            which = narrowed(experiment, snapshot, wish.range, segment=wish.filter, by_day=by_day)
            question = rules.question(experiment, snapshot.totals, wish.correction)
            return self._answer(snapshot, question, which, wish, self._coverage.of(experiment, rules))

        return self._reader.read(experiment.id, experiment.measurement_epoch, ask)

    def _answer(
        self, snapshot: Snapshot, question: Question, which: Narrowed, wish: Wish, coverage: contract.Coverage
    ) -> contract.Results:
        experiment, totals = question.experiment, snapshot.totals or {}
        goals, tally = chosen_goals(experiment, wish.goal_ids), which.tally(snapshot)
        srm, twice = sample_ratio_of(question, tally), totals.get("multiple_exposure", 0)
        everybody = of_totals(totals) if totals else tally
        by = wish.segment[0] if wish.segment and not wish.filter else None
        return contract.Results(
            experiment_id=experiment.id,
            measurement_epoch=experiment.measurement_epoch,
            computed_at=totals.get("computed_at"),
            through=totals.get("through"),
            generation=totals.get("generation"),
            engine="frequentist",
            correction=question.correction,
            alpha=question.alpha,
            goals=goal_results(question, goals, tally),
            srm=srm,
            multiple_exposure=twice,
            health=health(question, everybody, twice, srm),
            coverage=coverage,
            narrowed_to=which.told(),
            segments=breakdown(question, goals, which.segments(snapshot, (by,)), (by,)).data if by else None,
        )
