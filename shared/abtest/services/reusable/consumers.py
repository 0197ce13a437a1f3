"""Consumers of a page, an audience or a group: experiments, flags and personalizations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from abtest.domain.changes.errors import LiveConsumer
from abtest.domain.reusable.references import may_refer, references_of
from abtest.ports.catalog import Catalog, Kind, Record

ConsumerType = Literal["experiment", "feature flag", "personalization"]

_HEADS_A_READ = 100


@dataclass(frozen=True, slots=True)
class Consumer:
    """Unarchived user of the resource; `live` when shoppers see it."""

    id: str
    name: str
    consumer: ConsumerType
    live: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Kind of record that may refer: its name, its live status, and the references of its body."""

    kind: Kind
    called: ConsumerType
    live: str
    references: Callable[[Mapping[str, Any]], frozenset[str]]


def consumers_of(catalog: Catalog, shop_id: str, reference: str) -> list[Consumer]:
    """Everything unarchived that names the page or audience, kind by kind, newest first."""
    return [
        Consumer(record.head.id, record.head.name or "", source.called, record.head.status == source.live)
        for source in _SOURCES
        for record in _candidates(catalog, shop_id, source.kind, reference)
        # The head may only hold a mark for too many references, so the body decides.
        if reference in source.references(record.body)
    ]


def live_among(consumers: Sequence[Consumer]) -> list[LiveConsumer]:
    """Return those that shoppers see."""
    return [LiveConsumer(each.id, each.name, each.consumer) for each in consumers if each.live]


def running_among(catalog: Catalog, shop_id: str, experiment_ids: Sequence[str]) -> list[LiveConsumer]:
    """Return those of the experiments that run."""
    heads = (record.head for record in catalog.get_many(shop_id, "EXP", experiment_ids))
    return [LiveConsumer(head.id, head.name or "", "experiment") for head in heads if head.status == "running"]


def _candidates(catalog: Catalog, shop_id: str, kind: Kind, reference: str) -> Iterator[Record]:
    """Records whose heads do not rule the reference out."""
    after: str | None = None
    while True:
        page = catalog.list(shop_id, kind, limit=_HEADS_A_READ, after_id=after)
        possible = [
            head.id
            for head in page.heads
            if head.archived_at is None
            and head.status != "archived"
            and may_refer(head.attributes.get("refs"), reference)
        ]
        yield from catalog.get_many(shop_id, kind, possible) if possible else ()
        after = page.last_id
        if after is None:
            return


def references_of_experiment(body: Mapping[str, Any]) -> frozenset[str]:
    """Pages and audiences in the targeting and in the goals of a stored experiment."""
    return references_of(body.get("targeting")) | references_of({"pageRules": body.get("goal_page_rules")})


def references_of_personalization(body: Mapping[str, Any]) -> frozenset[str]:
    """Pages and audiences in the targeting and in the rules of a stored personalization."""
    of_rules = (references_of(rule.get("targeting")) for rule in body.get("rules", ()))
    return references_of(body.get("targeting")).union(*of_rules)


_SOURCES = (
    _Source(kind="EXP", called="experiment", live="running", references=references_of_experiment),
    _Source(
        kind="FLAG", called="feature flag", live="active", references=lambda body: references_of(body.get("targeting"))
    ),
    _Source(kind="PZN", called="personalization", live="active", references=references_of_personalization),
)
