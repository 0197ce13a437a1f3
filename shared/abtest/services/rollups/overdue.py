"""Shops that stay due: what no patience explains, for the alarm."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Overdue:
    """Memory of one process: since when each shop is due without being counted any further.

    A new process begins at zero, which makes an alarm later and never a false one.
    """

    _since: dict[str, tuple[int, int]] = field(default_factory=dict, init=False)
    """By shop: the offset that it was counted up to, and Unix ms."""

    def longest(self, pending: Mapping[str, int], now: int) -> int:
        """Note the shops that are due now, with the offsets they are counted up to; return the ms of the longest."""
        for shop_id in self._since.keys() - pending.keys():
            del self._since[shop_id]
        for shop_id, offset in pending.items():
            if self._since.get(shop_id, (-1, 0))[0] != offset:
                self._since[shop_id] = (offset, now)
        return max((now - since for _, since in self._since.values()), default=0)
