"""Experiments of shops, found by any of their ids, with identities for new ones."""

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.experiments.variations import find
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import public_id
from abtest.services.aggregates import Aggregates
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS, experiment_of, variation_name
from abtest.services.publication.budget import CodeBudget
from abtest.services.storefronts import Storefronts


class ExperimentStore(Aggregates[Experiment]):
    """Experiments of shops. Every reference is an id or a public id."""

    def __init__(self, world: World, storefronts: Storefronts, budget: CodeBudget) -> None:
        super().__init__(world, EXPERIMENTS, storefronts, budget.admit_experiment)

    def get(self, shop_id: str, record_id: str) -> Experiment:
        """The experiment with this id or public id. Raises NotFoundError, also for other shops' ids."""
        return experiment_of(self.world.catalog, shop_id, record_id)

    def variation(self, shop_id: str, reference: str) -> tuple[Experiment, Variation]:
        """The variation with this id or public id, and its experiment. Raises NotFoundError."""
        experiment = self.find(shop_id, variation_name(reference))
        if experiment is None:
            raise NotFoundError("there is no such variation")
        return experiment, find(experiment, reference)

    def new_identity(self) -> tuple[str, str]:
        """A fresh id and a public id; whether another experiment has it, the commit finds out."""
        return self.world.new_id(), public_id(self.world.random)
