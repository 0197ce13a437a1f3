"""Declarations of the kinds of aggregates: everything that one kind has of its own."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, dataclass, field
from operator import attrgetter
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from abtest.domain.changes.change import Change
from abtest.domain.changes.diff import Diff, differences
from abtest.kit.clock import Timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog, Document, Head, Kind, NameTakenError, Put, Record
from abtest.services.names import Names


class Aggregate(Protocol):
    """Frozen dataclass with an id, a version that rises by one with each change, and its moments."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def id(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def created_at(self) -> Timestamp: ...

    @property
    def updated_at(self) -> Timestamp: ...


A = TypeVar("A", bound=Aggregate)
Reach = Callable[[A | None, A | None], bool]
"""Whether a change from one state to the other may change what storefronts get."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Fields of an aggregate that the head of its record holds; `ports.catalog.Head` explains the fields."""

    name: str | None = None
    status: str | None = None
    archived_at: Timestamp | None = None
    attributes: Mapping[str, str | int | bool | None] = field(default_factory=dict)
    due: Mapping[str, Timestamp] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource(Generic[A]):
    """Everything that one kind of aggregate declares of its own."""

    kind: Kind
    noun: str
    """Its name in errors: `data-layer trigger`."""

    to_document: Callable[[A], Document]
    from_record: Callable[[Record], A]
    summary: Callable[[A], Summary]
    audited: Callable[[A], Diff]
    """Its fields, flat, as the audit compares them."""

    audited_in_full: Collection[str] = ()
    """Fields of a bounded size that audit rows state however long they are."""

    entity: str = ""
    """Its name in audit rows and actions, by default the noun in snake case: `data_layer_trigger`."""

    plural: str = ""
    names: Callable[[A], Names] = lambda _: Names()
    """Unique names that it holds."""

    name_taken: Callable[[A, NameTakenError], Exception] | None = None
    """The error of a write that loses a name, by default ConflictError. A StaleVersionError is retried."""

    reaches_shoppers: Reach[A] = lambda _before, _after: False

    event_facts: Callable[[A], Document] = lambda _: {}
    """Fields that each of its webhook events carries."""

    shop_id: Callable[[A], str] = attrgetter("shop_id")
    record_id: Callable[[A], str] = attrgetter("id")

    @property
    def entity_type(self) -> str:
        """The name of the kind in audit rows."""
        return self.entity or self.noun.replace(" ", "_").replace("-", "_")

    def head(self, aggregate: A) -> Head:
        """Build the head, which lists and work queues read."""
        summary = self.summary(aggregate)
        return Head(
            shop_id=self.shop_id(aggregate),
            kind=self.kind,
            id=self.record_id(aggregate),
            version=aggregate.version,
            created_at=aggregate.created_at,
            updated_at=aggregate.updated_at,
            name=summary.name,
            status=summary.status,
            archived_at=summary.archived_at,
            attributes=summary.attributes,
            due=summary.due,
        )

    def diff(self, change: Change[A]) -> Diff:
        """Return `{field: [before, after]}` for the audit, code and long values as hash and length."""
        before, after = ({} if state is None else self.audited(state) for state in (change.before, change.after))
        return differences(before, after, change.note, in_full=self.audited_in_full) | dict(change.elsewhere)

    def record(self, aggregate: A) -> Record:
        """The stored form."""
        return Record(head=self.head(aggregate), body=self.to_document(aggregate))

    def put(self, aggregate: A) -> Put:
        """The write of an aggregate over the version before its own; version 1 must not exist yet."""
        return Put(record=self.record(aggregate), expected_version=aggregate.version - 1)


def either(is_published: Callable[[A], bool]) -> Reach[A]:
    """Changes whose state before or after is published reach shoppers."""
    return lambda before, after: any(state is not None and is_published(state) for state in (before, after))


def loaded(catalog: Catalog, resource: Resource[A], shop_id: str, record_id: str) -> A:
    """One aggregate of the shop. Raises NotFoundError, also for other shops' ids."""
    record = catalog.get(shop_id, resource.kind, record_id)
    if record is None:
        raise NotFoundError(f"there is no such {resource.noun}")
    return resource.from_record(record)
