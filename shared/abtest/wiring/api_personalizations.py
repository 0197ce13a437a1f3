"""Composition root of the personalizations family."""

from abtest.services.personalizations.editor import PersonalizationEditor
from abtest.services.personalizations.experiences import Experiences
from abtest.services.personalizations.priorities import Priorities
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.storefronts import Storefronts
from abtest.wiring.api import Management, Uses


def personalizations_uses(base: Management) -> Uses:
    """Return the use cases of personalizations."""
    store = PersonalizationStore(base.world, Storefronts(base.world.catalog, base.publication), base.budget)
    return {
        PersonalizationEditor: PersonalizationEditor(store, base.checker),
        Experiences: Experiences(store, base.checker),
        Priorities: Priorities(store),
        PersonalizationStore: store,
    }
