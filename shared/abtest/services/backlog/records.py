"""Stored forms of the backlog: ideas, links by experiment, and one record of the shop with numbers and order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.backlog.ideas import Idea, IdeasOfExperiment, PrimaryLinkExistsError
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import Catalog, NameTakenError, Put, Record
from abtest.services.names import Names
from abtest.services.resources import Resource, Summary
from abtest.services.state_records import replaced

BACKLOG_ID = "BACKLOG"


def primary_name(experiment_id: str) -> str:
    """Return the name that the primary idea of an experiment holds, so that there is only one."""
    return f"IDEA#PRIMARY#{experiment_id}"


def _summary(idea: Idea) -> Summary:
    score = None if idea.score is None else f"{idea.score:06.1f}"
    return Summary(
        name=idea.title,
        status=idea.stage,
        archived_at=idea.archived_at,
        attributes={"key": idea.key, "score": score},
    )


def _name_taken(subject: Idea, _error: NameTakenError) -> Exception:
    return PrimaryLinkExistsError(
        f"the experiment is the primary one of another idea; link {subject.key} as a follow_up"
    )


def _names(idea: Idea) -> Names:
    return Names(own={primary_name(idea.primary.experiment_id)} if idea.primary else set())


def idea_in(record: Record) -> Idea:
    """Return the idea of a record."""
    return decode(Idea, record.body, version=record.head.version)


IDEAS: Resource[Idea] = Resource(
    kind="IDEA",
    noun="idea",
    to_document=lambda idea: encode(idea, omit=("version",)),
    from_record=idea_in,
    summary=_summary,
    audited=lambda idea: encode(idea, omit=("version", "updated_at")),
    names=_names,
    name_taken=_name_taken,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLinks:
    """Record of an experiment's ideas, as it was read; `stored` is None before the first link or launch.

    Whatever links an experiment, or moves an idea with it, writes this record over the version that it read. So of a
    link and a launch at the same moment, one is repeated and sees the other.
    """

    shop_id: str
    experiment_id: str
    stored: Record | None
    ideas: IdeasOfExperiment

    def put(self, after: IdeasOfExperiment, now: Timestamp) -> Put:
        """Return the write of these ideas."""
        return replaced(
            self.stored, shop_id=self.shop_id, kind="LINK", record_id=self.experiment_id, body=encode(after), now=now
        )


def read_links(catalog: Catalog, shop_id: str, experiment_id: str) -> StoredLinks:
    """Return the ideas of an experiment."""
    stored = catalog.get(shop_id, "LINK", experiment_id) if experiment_id else None
    ideas = decode(IdeasOfExperiment, stored.body) if stored else IdeasOfExperiment()
    return StoredLinks(shop_id=shop_id, experiment_id=experiment_id, stored=stored, ideas=ideas)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Numbers and order of a shop's ideas. Ideas that `order` does not have come behind those, oldest first."""

    shop_id: str
    stored: Record | None = None
    last_number: int = 0
    order: tuple[str, ...] = ()

    def numbered(self, number: int) -> "Backlog":
        """Return the backlog after this number was used."""
        return replace(self, last_number=number)

    def first(self, ids: Sequence[str], known: Iterable[str]) -> "Backlog":
        """Return the backlog with these ideas first; ids of ideas that are gone leave the order."""
        chosen, kept = set(ids), set(known)
        return replace(self, order=(*ids, *(each for each in self.order if each not in chosen and each in kept)))

    def put(self, now: Timestamp) -> Put:
        """Return the write over the version that was read."""
        body: Mapping[str, Any] = {"last_number": self.last_number, "order": list(self.order)}
        return replaced(self.stored, shop_id=self.shop_id, kind="BACKLOG", record_id=BACKLOG_ID, body=body, now=now)


def read_backlog(catalog: Catalog, shop_id: str) -> Backlog:
    """Return the backlog of a shop, empty before the first idea."""
    record = catalog.get(shop_id, "BACKLOG", BACKLOG_ID)
    if record is None:
        return Backlog(shop_id=shop_id)
    order = tuple(record.body["order"])
    return Backlog(shop_id=shop_id, stored=record, last_number=record.body["last_number"], order=order)
