"""Store of experiments: lookup by any of their ids, lists, history, and identities for new ones."""

from collections.abc import Sequence

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.experiments.rules import check_size
from abtest.domain.experiments.variations import find
from abtest.domain.pages.model import experiment_name
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import public_id
from abtest.ports.catalog import AuditRow, Claim, Commit, Remove, together
from abtest.services.aggregates import Aggregates
from abtest.services.context import World
from abtest.services.experiments.ideas import IdeasOfExperiments
from abtest.services.experiments.records import EXPERIMENTS, experiment_of, variation_name
from abtest.services.listing import Filters
from abtest.services.publication.budget import CodeBudget
from abtest.services.storefronts import Storefronts


class ExperimentStore(Aggregates[Experiment]):
    """Experiments of shops. Every reference is an id or a public id."""

    def __init__(self, world: World, storefronts: Storefronts, budget: CodeBudget) -> None:
        def admit(before: Experiment | None, after: Experiment) -> None:
            check_size(before, after)
            budget.admit_experiment(before, after)

        super().__init__(world, EXPERIMENTS, storefronts, admit)

    def get(self, shop_id: str, record_id: str) -> Experiment:
        """Return the experiment with this id or public id. Raises NotFoundError, also for other shops' ids."""
        return experiment_of(self.world.catalog, shop_id, record_id)

    def variation(self, shop_id: str, reference: str) -> tuple[Experiment, Variation]:
        """Return the experiment and the variation with this id or public id. Raises NotFoundError."""
        experiment = self.find(shop_id, variation_name(reference))
        if experiment is None:
            raise NotFoundError("there is no such variation")
        return experiment, find(experiment, reference)

    def companions(self, pairs: Sequence[tuple[Experiment | None, Experiment | None]]) -> Commit:
        """Return the claims that make deletions fail while a landing page is linked to the experiment.

        The list of its latest pictures is deleted with it, and so are its links to ideas. An idea follows the launch
        and the completion of its primary experiment.

        A deleted experiment keeps its claim, so that a page which is linked at the same moment loses the race.
        """
        ideas = IdeasOfExperiments(self.world).following(pairs)
        deleted = [before for before, after in pairs if before is not None and after is None]
        pictures = [self.world.catalog.get(each.shop_id, "SHOT", each.id) for each in deleted]
        gone = Commit(
            removes=[Remove(head=record.head) for record in pictures if record],
            claims=[
                Claim(scope=each.shop_id, name=experiment_name(each.id), target_id=each.id, target_shop_id=each.shop_id)
                for each in deleted
            ],
        )
        return together(ideas, gone)

    def history(
        self, shop_id: str, reference: str, *, limit: int, after: str | None
    ) -> tuple[Sequence[AuditRow], str | None]:
        """Return audit rows of the experiment, newest first, and the id that continues the list."""
        # Rows are stored under the id, while the reference may be a public id. An unknown one is a 404, not an empty
        # list.
        experiment = self.get(shop_id, reference)
        return self.world.catalog.audit(shop_id, entity_id=experiment.id, limit=limit, after_id=after)

    def page_with_goal(
        self, shop_id: str, filters: Filters, goal_id: str | None, *, limit: int, after: str | None
    ) -> tuple[list[Experiment], str | None]:
        """Return experiments that pass the filters and have the goal, if given, and the key that continues the list."""

        def has_goal(experiment: Experiment) -> bool:
            return goal_id is None or any(goal.id == goal_id for goal in experiment.goals)

        return self.page(shop_id, filters, limit=limit, after=after, admits_whole=has_goal)

    def new_identity(self) -> tuple[str, str]:
        """Return a new id and a new public id."""
        return self.world.new_id(), self.new_public_id()

    def new_public_id(self) -> str:
        """Return a new public id. The commit checks that no other experiment has it."""
        return public_id(self.world)
