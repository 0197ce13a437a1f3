"""What lists of flags and of personalizations are narrowed to: they have the same life, keys and environments."""

from dataclasses import dataclass

from abtest.domain.rollouts.lifecycle import Status
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Head
from abtest.services.listing import ArchivedFilter, Sort, is_kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """None lets everything pass. `q` is a part of the name or the key, in any case; flags have no surface.

    Asking for the status archived is asking for archived ones.
    """

    status: Status | None = None
    environment_key: str | None = None
    delivery_type: str | None = None
    surface: str | None = None
    archived: ArchivedFilter = "false"
    q: str | None = None
    updated_since: Timestamp | None = None
    sort: Sort = "-created_at"

    def admits(self, head: Head) -> bool:
        """Whether the head passes."""
        wanted = {
            "environment_key": self.environment_key,
            "delivery_type": self.delivery_type,
            "surface": self.surface,
        }
        return (
            (is_kept(self.archived, head) or (self.archived, self.status) == ("false", "archived"))
            and self.status in (None, head.status)
            and all(value in (None, head.attributes.get(name)) for name, value in wanted.items())
            and (self.q is None or self.q.casefold() in f"{head.name}\n{head.attributes.get('key')}".casefold())
            and (self.updated_since is None or head.updated_at >= self.updated_since)
        )
