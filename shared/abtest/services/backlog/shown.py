"""Response of a single idea: with its experiments."""

from dataclasses import dataclass

from abtest.contract import ideas as contract
from abtest.domain.backlog.ideas import Idea
from abtest.domain.experiments.model import Experiment
from abtest.kit.documents import decode
from abtest.ports.catalog import Catalog


@dataclass(frozen=True, slots=True)
class ShownIdeas:
    """Reader of the experiments that an idea is shown with."""

    catalog: Catalog

    def whole(self, idea: Idea) -> contract.Idea:
        """Return the response, with the links whose experiments exist."""
        records = self.catalog.get_many(idea.shop_id, "EXP", [link.experiment_id for link in idea.links])
        return contract.Idea.of(idea, {record.head.id: decode(Experiment, record.body) for record in records})
