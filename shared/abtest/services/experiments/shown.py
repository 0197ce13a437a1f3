"""Responses of experiments with their idea."""

from dataclasses import dataclass

from abtest.contract import experiments as contract
from abtest.domain.backlog.ideas import Idea
from abtest.domain.experiments.model import Experiment
from abtest.services.aggregates import Saved
from abtest.services.backlog.ideas import Ideas
from abtest.services.backlog.records import read_links
from abtest.services.context import World


@dataclass(frozen=True, slots=True)
class ShownExperiments:
    """Reader of the ideas that experiments are shown with."""

    world: World

    def idea(self, shop_id: str, idea_id: str) -> Idea:
        """One idea. Raises NotFoundError."""
        return Ideas(self.world).get(shop_id, idea_id)

    def shown(self, saved: Saved[Experiment]) -> contract.Experiment:
        """Return the response of an experiment with its idea: the primary one, else the one that was linked first."""
        experiment = saved.value
        links = read_links(self.world.catalog, experiment.shop_id, experiment.id).ideas
        ideas = Ideas(self.world).get_many(experiment.shop_id, [links.shown.idea_id]) if links.shown else []
        idea = contract.LinkedIdea(key=ideas[0].key, title=ideas[0].title, stage=ideas[0].stage) if ideas else None
        shown = contract.Experiment.single(experiment, saved.warning).model_copy(update={"linked_idea": idea})
        # Without an idea now, a client may still have one that it read before.
        return shown.at(experiment.version, shows_others=links.had_any)
