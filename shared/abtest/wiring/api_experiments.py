"""Composition root of the experiments family."""

from abtest.ports.limits import Sessions
from abtest.services.experiment_files.trees import ExperimentTrees
from abtest.services.experiments.editor import ExperimentEditor
from abtest.services.experiments.goals import ExperimentGoals
from abtest.services.experiments.lifecycle import Lifecycle
from abtest.services.experiments.plans import Plans
from abtest.services.experiments.shown import ShownExperiments
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.variations import Variations
from abtest.services.goals import ShopGoals
from abtest.services.jobs import Jobs
from abtest.services.personalizations.shipment import Shipment
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.planning import Planner
from abtest.services.preview_links import PreviewLinks
from abtest.services.preview_sessions import PreviewSessions
from abtest.services.previews import Previews
from abtest.services.publication.preview_snippets import PreviewSnippets
from abtest.services.reusable.exclusion_groups import ExclusionGroups
from abtest.services.reusable.page_match import PageMatch
from abtest.services.reusable.targets import Audiences, Pages
from abtest.services.screenshots.approval import ApprovalRequests
from abtest.services.screenshots.orders import ScreenshotOrders
from abtest.storefront import bundle
from abtest.wiring.api import Management, Uses
from abtest.wiring.egress import customer_rules
from abtest.wiring.previews import preview_links, preview_sessions


def experiments_uses(base: Management, sessions: Sessions | None = None) -> Uses:
    """Return the use cases of the family's routes; `sessions` replaces the deployment's store of sessions."""
    store = ExperimentStore(base.world, base.storefronts, base.budget)
    planner = Planner(base.world, base.rollups)
    storefronts = base.storefronts
    lifecycle = Lifecycle(store, planner, base.republication)
    approvals = ApprovalRequests(
        world=base.world,
        lifecycle=lifecycle,
        jobs=Jobs(base.world, "screenshot", base.screenshot_queue),
        orders=ScreenshotOrders(catalog=base.world.catalog, rules=customer_rules(base.settings)),
        has_browser=base.has_browser,
    )
    editor = ExperimentEditor(store, base.checker)
    personalizations = PersonalizationStore(base.world, storefronts, base.budget)
    return {
        ExperimentEditor: editor,
        ShownExperiments: ShownExperiments(base.world),
        ExperimentStore: store,
        ExperimentTrees: ExperimentTrees(
            store=store, editor=editor, checker=base.checker, sessions=sessions or base.sessions
        ),
        Lifecycle: lifecycle,
        ApprovalRequests: approvals,
        Plans: Plans(store, planner),
        Variations: Variations(store, base.checker),
        Shipment: Shipment(store, personalizations),
        ExperimentGoals: ExperimentGoals(store),
        ShopGoals: ShopGoals(base.world),
        Pages: Pages(base.world, storefronts),
        PageMatch: PageMatch(base.world),
        Audiences: Audiences(base.world, storefronts),
        ExclusionGroups: ExclusionGroups(base.world, storefronts),
        PreviewSessions: preview_sessions(base, sessions),
        PreviewLinks: preview_links(base, sessions),
        Previews: _previews(base, sessions),
    }


def _previews(base: Management, sessions: Sessions | None) -> Previews:
    return Previews(
        sessions=preview_sessions(base, sessions),
        snippets=PreviewSnippets(
            catalog=base.world.catalog,
            checker=base.checker,
            bundle=bundle,
            worker_base_url=base.settings.worker_base_url,
        ),
        delivery=base.delivery,
    )
