"""Experiments of a shop by their heads: numbers by status, those that run, those that wait for approval."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast, get_args

from abtest.contract import overview as contract
from abtest.domain.experiments.model import Status
from abtest.ports.catalog import Catalog, Head

MOST_HEADS = 10_000
HEADS_A_READ = 1000
APPROVALS = 20
LIVE = frozenset({"running", "paused"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopHeads:
    """Heads of a shop's experiments, newest first; `is_whole` is False where older ones were not read."""

    heads: Sequence[Head]
    is_whole: bool

    @property
    def live(self) -> Sequence[Head]:
        """Running and paused experiments."""
        return [head for head in self.heads if head.status in LIVE and head.archived_at is None]

    @property
    def by_status(self) -> dict[Status, int]:
        """Number of experiments by status, without archived ones; all statuses are named."""
        numbers = Counter(head.status for head in self.heads if head.archived_at is None)
        return {status: numbers[status] for status in cast("tuple[Status, ...]", get_args(Status))}

    @property
    def archived(self) -> int:
        """Number of archived experiments."""
        return sum(1 for head in self.heads if head.archived_at is not None)

    @property
    def approvals(self) -> contract.OverviewApprovals:
        """Experiments that wait for the approval of their design, the longest waiting first."""
        waiting = [
            head for head in self.heads if head.status == "awaiting_client_approval" and head.archived_at is None
        ]
        waiting.sort(key=lambda head: head.updated_at)
        return contract.OverviewApprovals(
            count=len(waiting),
            data=[
                contract.OverviewApproval(
                    id=head.id,
                    public_id=cast("str | None", head.attributes.get("public_id")),
                    name=head.name or "",
                    updated_at=head.updated_at,
                )
                for head in waiting[:APPROVALS]
            ],
        )


def heads_of(catalog: Catalog, shop_id: str) -> ShopHeads:
    """Return the newest heads of a shop's experiments, in one read a thousand."""
    heads = list(islice(_every_head(catalog, shop_id), MOST_HEADS + 1))
    return ShopHeads(heads=heads[:MOST_HEADS], is_whole=len(heads) <= MOST_HEADS)


def _every_head(catalog: Catalog, shop_id: str) -> Iterator[Head]:
    after: str | None = None
    while True:
        page = catalog.list(shop_id, "EXP", limit=HEADS_A_READ, after_id=after)
        yield from page.heads
        after = page.last_id
        if after is None:
            return
