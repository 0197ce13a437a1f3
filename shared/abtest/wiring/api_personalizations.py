"""Composition root of the personalizations family."""

from abtest.services.personalizations.editor import PersonalizationEditor
from abtest.services.personalizations.experiences import Experiences
from abtest.services.personalizations.priorities import Priorities
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.preview_links import PreviewLinks
from abtest.wiring.api import Management, Uses
from abtest.wiring.previews import preview_links


def personalizations_uses(base: Management) -> Uses:
    """Return the use cases of personalizations."""
    store = PersonalizationStore(base.world, base.storefronts, base.budget)
    return {
        PersonalizationEditor: PersonalizationEditor(store, base.checker, base.republication),
        Experiences: Experiences(store, base.checker),
        Priorities: Priorities(store),
        PersonalizationStore: store,
        PreviewLinks: preview_links(base),
    }
