"""Composition root of the flags family."""

from abtest.services.flags.editor import FlagEditor
from abtest.services.flags.evaluation import Evaluation
from abtest.services.flags.store import FlagStore
from abtest.services.preview_links import PreviewLinks
from abtest.wiring.api import Management, Uses
from abtest.wiring.previews import preview_links


def flags_uses(base: Management) -> Uses:
    """Return the use cases of flags."""
    store = FlagStore(base.world, base.storefronts, base.budget)
    return {
        FlagEditor: FlagEditor(store, base.republication),
        FlagStore: store,
        PreviewLinks: preview_links(base),
        Evaluation: Evaluation(base.world),
    }
