"""Composition root of the personalizations family: its use cases from what all families share."""

from abtest.services.personalizations.authoring import Authoring
from abtest.services.personalizations.experiences import Experiences
from abtest.services.personalizations.ordering import Ordering
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.storefronts import Storefronts
from abtest.wiring.api import Management, Uses


def personalizations_uses(base: Management) -> Uses:
    """Use cases of personalizations."""
    store = PersonalizationStore(base.world, Storefronts(base.world.catalog, base.publication), base.budget)
    return {
        Authoring: Authoring(store, base.checker),
        Experiences: Experiences(store, base.checker),
        Ordering: Ordering(store),
        PersonalizationStore: store,
    }
