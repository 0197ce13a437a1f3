"""Composition root of the experiments family: its use cases from what all families share."""

from abtest.adapters.dynamo import DynamoSessions
from abtest.services.experiments.authoring import Authoring
from abtest.services.experiments.goals import ExperimentGoals
from abtest.services.experiments.lifecycle import Lifecycle
from abtest.services.experiments.previews import PreviewLinks
from abtest.services.experiments.publishing import Publishing
from abtest.services.experiments.reading import Reading
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.variations import Variations
from abtest.services.goals import ShopGoals
from abtest.wiring.api import Management, Uses


def experiments_uses(base: Management) -> Uses:
    """Use cases of experiments, variations and goals."""
    store = ExperimentStore(base.world, Publishing(base.world.catalog, base.publication))
    sessions = DynamoSessions(base.settings.ephemeral_table)
    return {
        Authoring: Authoring(store),
        Reading: Reading(store),
        Lifecycle: Lifecycle(store),
        Variations: Variations(store),
        ExperimentGoals: ExperimentGoals(store),
        ShopGoals: ShopGoals(base.world),
        PreviewLinks: PreviewLinks(store, sessions, base.roots, base.settings.worker_base_url),
    }
