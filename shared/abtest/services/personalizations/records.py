"""How a personalization is kept in the catalog: its head, its body, its unique key, its place in the work index."""

from abtest.domain.personalizations.change import Change
from abtest.domain.personalizations.documents import personalization_document, personalization_from
from abtest.domain.personalizations.model import Personalization
from abtest.domain.reusable.references import references_of, refs_attribute
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import COUNTED_FOR_EVER, Head, Put, Record, Remove
from abtest.services.experiments.records import counted_until
from abtest.services.names import Names, Renaming


def record_of(personalization: Personalization) -> Record:
    """The stored form."""
    return Record(head=head_of(personalization), body=personalization_document(personalization))


def head_of(personalization: Personalization) -> Head:
    """What lists and work queues read."""
    counted = _counted_until(personalization)
    return Head(
        shop_id=personalization.shop_id,
        kind="PZN",
        id=personalization.id,
        version=personalization.version,
        created_at=personalization.created_at,
        updated_at=personalization.updated_at,
        name=personalization.name,
        status=personalization.status,
        archived_at=personalization.archived_at,
        attributes={
            "key": personalization.key,
            "delivery_type": personalization.delivery_type,
            "environment_key": personalization.environment_key,
            "surface": personalization.surface,
            "refs": refs_attribute(_references(personalization)),
        },
        due={} if counted is None else {"COUNT": counted},
    )


def personalization_in(record: Record) -> Personalization:
    """The aggregate that a record holds."""
    return personalization_from(record.body)


def put_of(before: Personalization | None, after: Personalization) -> Put:
    """The conditional write of a change."""
    return Put(record=record_of(after), expected_version=before.version if before else 0)


def remove_of(before: Personalization) -> Remove:
    """The conditional deletion."""
    return Remove(head=head_of(before))


def renaming_of(change: Change) -> Renaming:
    """The names that the change takes and gives back: the key, and those of goals."""
    subject = change.subject
    before, after = _names(change.before), _names(change.after)
    return Renaming(shop_id=subject.shop_id, record_id=subject.id, before=before, after=after)


def key_name(environment_key: str, key: str) -> str:
    """The name that a key claims; keys are unique in their environment."""
    return f"PZN#KEY#{environment_key}#{key}"


def _names(personalization: Personalization | None) -> Names:
    if personalization is None:
        return Names()
    own = {key_name(personalization.environment_key, personalization.key)}
    return Names(own=own, goal_ids={goal.id for goal in personalization.goals})


def _references(personalization: Personalization) -> frozenset[str]:
    found = (references_of(rule.targeting) for rule in personalization.rules)
    return references_of(personalization.targeting).union(*found)


def _counted_until(personalization: Personalization) -> Timestamp | None:
    if personalization.activated_at is None:
        return None
    if personalization.archived_at is None:
        return COUNTED_FOR_EVER
    return counted_until(personalization.archived_at, personalization.goals)
