"""Composition root of the workspace family."""

from abtest.services.audit_log.rows import AuditLogs
from abtest.services.backlog.ideas import Ideas
from abtest.services.backlog.shown import ShownIdeas
from abtest.services.inbox import Inbox
from abtest.services.jobs import Jobs
from abtest.services.profiles.requests import StoreProfiles
from abtest.services.workspace.files import Workspace
from abtest.services.workspace.generated import GeneratedFiles
from abtest.services.workspace.store import WorkspaceFiles
from abtest.wiring.api import Management, Uses
from abtest.wiring.egress import customer_rules


def workspace_uses(base: Management) -> Uses:
    """Return the use cases of the records next to experiments. Raises MissingSettingError."""
    return {
        Ideas: Ideas(base.world),
        ShownIdeas: ShownIdeas(base.world.catalog),
        AuditLogs: AuditLogs(catalog=base.world.catalog, store=base.audit, seals=base.seals),
        Inbox: Inbox(base.world),
        Workspace: Workspace(WorkspaceFiles(base.world), GeneratedFiles(base.world)),
        StoreProfiles: StoreProfiles(
            world=base.world,
            jobs=Jobs(base.world, "store_profile", base.profile_queue),
            rules=customer_rules(base.settings),
        ),
    }
