"""Composition of preview sessions and preview links, which several families have."""

from abtest.ports.limits import Sessions
from abtest.services.preview_links import PreviewLinks
from abtest.services.preview_sessions import PreviewSessions
from abtest.services.publication.drafts import Drafts
from abtest.wiring.api import Management
from abtest.wiring.egress import customer_rules


def preview_sessions(base: Management, sessions: Sessions | None = None) -> PreviewSessions:
    """Return the store of sessions; `sessions` replaces the deployment's."""
    return PreviewSessions(
        world=base.world,
        store=sessions or base.sessions,
        roots=base.roots,
        rules=customer_rules(base.settings),
        base=base.settings.preview_base_url or base.settings.worker_base_url,
    )


def preview_links(base: Management, sessions: Sessions | None = None) -> PreviewLinks:
    """Return the maker of links to the shop's own pages."""
    return PreviewLinks(
        sessions=preview_sessions(base, sessions),
        drafts=Drafts(catalog=base.world.catalog, checker=base.checker, worker_base_url=base.settings.worker_base_url),
        delivery=base.delivery,
    )
