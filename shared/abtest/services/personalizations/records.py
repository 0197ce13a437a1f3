"""How a personalization is kept in the catalog: its head, its body, its unique key, its place in the work index."""

from abtest.domain.ledger.events import goal_claim
from abtest.domain.personalizations.change import Change
from abtest.domain.personalizations.documents import personalization_document, personalization_from
from abtest.domain.personalizations.model import Personalization
from abtest.domain.reusable.references import references_of, refs_attribute
from abtest.kit.clock import Timestamp, from_milliseconds, parse_timestamp, timestamp, to_milliseconds
from abtest.ports.catalog import COUNTED_FOR_EVER, Claim, Head, Put, Record, Release, Remove
from abtest.services.experiments.records import COUNTED_AFTER_END_MS


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


def claims_of(change: Change) -> list[Claim]:
    """Names that the change takes: the key, and those of goals, by which the ingest worker knows them."""
    subject = change.subject
    taken = dict.fromkeys(sorted(_names(change.after) - _names(change.before)), subject.id)
    # As with experiments, a goal's name is never given back: events of it may still be under way.
    taken |= {goal_claim(goal_id): goal_id for goal_id in sorted(_goals(change.after) - _goals(change.before))}
    return [
        Claim(scope=subject.shop_id, name=name, target_id=target_id, target_shop_id=subject.shop_id)
        for name, target_id in taken.items()
    ]


def releases_of(change: Change) -> list[Release]:
    """Names that the change gives back."""
    gone = _names(change.before) - _names(change.after)
    return [Release(scope=change.subject.shop_id, name=name) for name in sorted(gone)]


def key_name(environment_key: str, key: str) -> str:
    """The name that a key claims; keys are unique in their environment."""
    return f"PZN#KEY#{environment_key}#{key}"


def _names(personalization: Personalization | None) -> set[str]:
    return {key_name(personalization.environment_key, personalization.key)} if personalization else set()


def _goals(personalization: Personalization | None) -> set[str]:
    return {goal.id for goal in personalization.goals} if personalization else set()


def _references(personalization: Personalization) -> frozenset[str]:
    found = (references_of(rule.targeting) for rule in personalization.rules)
    return references_of(personalization.targeting).union(*found)


def _counted_until(personalization: Personalization) -> Timestamp | None:
    if personalization.activated_at is None:
        return None
    if personalization.archived_at is None:
        return COUNTED_FOR_EVER
    return timestamp(
        from_milliseconds(to_milliseconds(parse_timestamp(personalization.archived_at)) + COUNTED_AFTER_END_MS)
    )
