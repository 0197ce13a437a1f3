"""Experience of a shop, read from the results of its completed experiments."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from abtest.contract.result_rows import ResultRow
from abtest.domain.experiments.model import Experiment
from abtest.domain.profiles.experience import MAX_LESSONS, experience, lesson_of
from abtest.domain.profiles.model import LearningRun, Lesson
from abtest.domain.settings.shop import Shop
from abtest.services.context import World
from abtest.services.experiments.records import experiment_in
from abtest.services.experiments.system import system_caller
from abtest.services.listing import every_head
from abtest.services.results import Results
from abtest.services.results.conclusions import goals_in_order
from abtest.services.results.experiment_results import ResultsQuery
from abtest.services.reusable.references import with_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """Reader of completed experiments. Setup and A/A tests are none: they change nothing that shoppers see."""

    world: World
    results: Results

    def of(self, shop: Shop) -> LearningRun:
        """Return the experience of a shop, with figures for its newest experiments."""
        ids = list(self._completed(shop.id))
        records = self.world.catalog.get_many(shop.id, "EXP", ids[:MAX_LESSONS])
        experiments = [experiment_in(record) for record in records]
        lessons = [self._lesson(each, shop) for each in experiments if each.counting_type == "standard"]
        return experience(lessons, len(ids) - len(records), self.world.now())

    def _completed(self, shop_id: str) -> Iterator[str]:
        heads = every_head(self.world.catalog, shop_id, "EXP")
        return (head.id for head in heads if head.status == "completed")

    def _lesson(self, experiment: Experiment, shop: Shop) -> Lesson:
        targeting = with_pages(self.world.catalog, shop.id, experiment.targeting)
        lesson = lesson_of(experiment, targeting, shop.domain)
        results = self.results.read(system_caller(shop.id, "store_profile"), experiment.id, ResultsQuery())
        goals = goals_in_order(experiment, results.engine)
        if not goals:
            return lesson
        shown = [row for goal in results.goals if goal.goal_id == goals[0].id for row in goal.rows]
        row = _shown_row(experiment, shown)
        if row is None or row.ci is None:
            return replace(lesson, goal=goals[0].name)
        return replace(
            lesson,
            goal=goals[0].name,
            variation=row.variation_name,
            lift=row.lift,
            lift_lower=row.ci.lower,
            lift_upper=row.ci.upper,
        )


def _shown_row(experiment: Experiment, rows: list[ResultRow]) -> ResultRow | None:
    """Return the row of the winner; without one, of the treatment with the largest lift in either direction."""
    treatments = [row for row in rows if not row.is_control]
    winner = next((row for row in treatments if row.variation_id == experiment.winning_variation_id), None)
    return winner or max(treatments, key=lambda row: abs(row.lift or 0), default=None)
