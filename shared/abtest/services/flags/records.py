"""How a flag is kept in the catalog: its head, its body, its unique name."""

from abtest.domain.flags.change import Change
from abtest.domain.flags.documents import flag_document, flag_from
from abtest.domain.flags.model import Flag
from abtest.domain.reusable.references import references_of, refs_attribute
from abtest.ports.catalog import Commit, Head, Put, Record, Remove
from abtest.services.names import Names, Renaming


def flag_in(record: Record) -> Flag:
    """The aggregate that a record holds."""
    return flag_from(record.body)


def head_of(flag: Flag) -> Head:
    """What lists, publication and pages read: whether the flag is theirs, without its body."""
    return Head(
        shop_id=flag.shop_id,
        kind="FLAG",
        id=flag.id,
        version=flag.version,
        created_at=flag.created_at,
        updated_at=flag.updated_at,
        name=flag.name,
        status=flag.status,
        archived_at=flag.updated_at if flag.status == "archived" else None,
        attributes={
            "key": flag.key,
            "environment_key": flag.environment_key,
            "delivery_type": flag.delivery_type,
            "refs": refs_attribute(references_of(flag.targeting)),
        },
    )


def commit_of(change: Change, after: Flag | None) -> Commit:
    """What stores the change, and moves its unique name. `after` is the flag at its new version."""
    before, subject = change.before, change.subject
    renaming = Renaming(shop_id=subject.shop_id, record_id=subject.id, before=_names(before), after=_names(after))
    return Commit(
        puts=[Put(record=_record_of(after), expected_version=before.version if before else 0)] if after else [],
        removes=[Remove(head=head_of(before))] if before and not after else [],
        claims=renaming.claims(),
        releases=renaming.releases(),
    )


def key_name(environment_key: str, key: str) -> str:
    """The name that a flag's key claims inside its shop."""
    return f"FLAG#KEY#{environment_key}#{key}"


def _record_of(flag: Flag) -> Record:
    return Record(head=head_of(flag), body=flag_document(flag))


def _names(flag: Flag | None) -> Names:
    return Names(own={key_name(flag.environment_key, flag.key)}) if flag else Names()
