"""Composition root of the experiments family."""

from abtest.ports.limits import Sessions
from abtest.services.experiments.editor import ExperimentEditor
from abtest.services.experiments.goals import ExperimentGoals
from abtest.services.experiments.lifecycle import Lifecycle
from abtest.services.experiments.plans import Plans
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.variations import Variations
from abtest.services.goals import ShopGoals
from abtest.services.jobs import Jobs
from abtest.services.personalizations.shipment import Shipment
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.planning import Planner
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
    personalizations = PersonalizationStore(base.world, storefronts, base.budget)
    return {
        ExperimentEditor: ExperimentEditor(store, base.checker),
        ExperimentStore: store,
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
        Previews: _previews(base, sessions or base.sessions),
    }


def _previews(base: Management, sessions: Sessions) -> Previews:
    worker_base_url = base.settings.worker_base_url
    return Previews(
        world=base.world,
        sessions=sessions,
        roots=base.roots,
        snippets=PreviewSnippets(
            catalog=base.world.catalog, checker=base.checker, bundle=bundle, worker_base_url=worker_base_url
        ),
        delivery=base.delivery,
        rules=customer_rules(base.settings),
        base=base.settings.preview_base_url or worker_base_url,
    )
