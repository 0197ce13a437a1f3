"""Check that ids in a request belong to resources of the caller's shop."""

from collections.abc import Collection, Iterable

from abtest.kit.errors import refused
from abtest.ports.catalog import Catalog, Kind


def refuse_unknown_ids(
    catalog: Catalog,
    shop_id: str,
    kind: Kind,
    placed: Iterable[tuple[str, str]],
    *,
    noun: str,
    before: Collection[str] = (),
) -> None:
    """Raise ValidationFailedError at the first id that the shop has no resource for.

    `placed` are paths of the request with their ids, such as `("members[0].experiment_id", "0199d5a0-…")`. Ids in
    `before` are not checked again, so that a resource which was deleted meanwhile does not block every later edit.
    """
    new = [(path, record_id) for path, record_id in placed if record_id not in before]
    ids = sorted({record_id for _, record_id in new})
    known = {record.head.id for record in catalog.get_many(shop_id, kind, ids)} if ids else set()
    for path, record_id in new:
        if record_id not in known:
            raise refused(path, f"there is no such {noun}")
