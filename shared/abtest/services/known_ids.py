"""Check that ids in a request belong to resources of the caller's shop."""

from collections.abc import Collection, Sequence

from abtest.kit.errors import refused
from abtest.ports.catalog import Catalog, Kind


def refuse_unknown_ids(
    catalog: Catalog,
    shop_id: str,
    kind: Kind,
    ids: Sequence[str],
    *,
    path: str,
    noun: str,
    before: Collection[str] = (),
) -> None:
    """Raise ValidationFailedError at the first id that the shop has no resource for.

    `path` has `{}` for the position, such as `members[{}].experiment_id`. Ids in `before` are not checked again, so
    that a resource which was deleted meanwhile does not block every later edit.
    """
    known = {record.head.id for record in catalog.get_many(shop_id, kind, sorted(set(ids) - set(before)))}
    for position, record_id in enumerate(ids):
        if record_id not in known and record_id not in before:
            raise refused(path.format(position), f"there is no such {noun}")
