"""Unit of work on the hours of the ledger: the rows of one hour and one group of shops; and its message."""

from dataclasses import dataclass
from typing import Any

from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import Hour, raw_hour
from abtest.domain.ledger.shop_groups import ShopGroup
from abtest.kit import canonical_json
from abtest.ports.queue import QueueMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class HourUnit:
    """An hour and a group of shops."""

    hour: Hour
    group: ShopGroup

    @property
    def name(self) -> str:
        """Name in logs and leases, such as `raw/dt=2026-05-27/hh=12/#3of8`."""
        return f"{raw_hour(self.hour)}#{self.group.name}"

    def message(self, **more: str | int) -> QueueMessage:
        """Return the message with this unit, and more fields of its queue."""
        document = {"hour": self.hour, "group": self.group.number, "groups": self.group.of, **more}
        # By the hour, so that the many units of a large hour do not delay other hours.
        return QueueMessage(body=canonical_json.dumps(document), group=f"{self.hour}")


def unit_of(document: Any) -> HourUnit:
    """Read the unit in the document of a message. Raises ValueError for anything else."""
    try:
        hour, number, groups = (document[name] for name in ("hour", "group", "groups"))
    except (TypeError, KeyError) as error:
        raise ValueError("the message must have `hour`, `group` and `groups`") from error
    if not all(type(value) is int for value in (hour, number, groups)) or hour < 0 or hour % HOUR_MS:
        raise ValueError("`hour` must be the Unix ms of a whole hour, `group` and `groups` integers")
    return HourUnit(hour=hour, group=ShopGroup(number, groups))
