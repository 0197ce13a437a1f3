"""Everything else that a shop delivers beside experiments, and how it lies in the catalog."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.exclusion_groups.documents import exclusion_group_document
from abtest.domain.exclusion_groups.model import ExclusionGroup, Member
from abtest.domain.flags.model import Flag
from abtest.domain.personalizations.model import Experience, Personalization
from abtest.kit.documents import encode
from abtest.ports.catalog import Catalog, Commit, Head, Kind, Put, Record
from tests.support.storefronts import MOMENT, SHOP_ID

PHONES = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}]}
ON_PHONES = {"device": {"$eq": "mobile"}}


def item_id(number: int) -> str:
    """Ids in the order of their numbers."""
    return f"0192a3b4-0000-7000-8000-0000000005{number:02d}"


def flag(number: int = 1, **fields: Any) -> Flag:
    """An active flag of production for storefronts."""
    given: dict[str, Any] = {
        "id": item_id(number),
        "shop_id": SHOP_ID,
        "key": f"flag-{number}",
        "name": f"Flag {number}",
        "status": "active",
        "created_at": MOMENT,
        "updated_at": MOMENT,
    }
    return Flag(**{**given, **fields})


def experience(number: int = 0, **fields: Any) -> Experience:
    """The default experience for number 0, another one otherwise."""
    key = f"experience-{number}" if number else "default"
    return Experience(**{"id": item_id(80 + number), "key": key, "name": f"Experience {number}", **fields})


def personalization(number: int = 1, **fields: Any) -> Personalization:
    """An active personalization of production with one experience."""
    given: dict[str, Any] = {
        "id": item_id(20 + number),
        "shop_id": SHOP_ID,
        "key": f"personalization-{number}",
        "name": f"Personalization {number}",
        "status": "active",
        "experiences": (experience(),),
        "created_at": MOMENT,
        "updated_at": MOMENT,
    }
    return Personalization(**{**given, **fields})


def group(*members: Member, number: int = 1, **fields: Any) -> ExclusionGroup:
    """An exclusion group."""
    given: dict[str, Any] = {
        "id": item_id(40 + number),
        "shop_id": SHOP_ID,
        "name": f"Group {number}",
        "members": members,
        "created_at": MOMENT,
        "updated_at": MOMENT,
    }
    return ExclusionGroup(**{**given, **fields})


def page_document(pattern: str, **fields: Any) -> dict[str, Any]:
    """The body of a page."""
    return {"name": "Page", "includeRules": [{"type": "simple", "pattern": pattern}], "excludeRules": [], **fields}


def keep(catalog: Catalog, kept: Flag | Personalization | ExclusionGroup) -> None:
    """Store the aggregate, whatever version stands there."""
    if isinstance(kept, Flag):
        keep_document(catalog, "FLAG", kept.id, encode(kept), status=kept.status)
    elif isinstance(kept, Personalization):
        keep_document(catalog, "PZN", kept.id, encode(kept), status=kept.status)
    else:
        keep_document(catalog, "GRP", kept.id, exclusion_group_document(kept))


def keep_document(
    catalog: Catalog,
    kind: Kind,
    record_id: str,
    body: Mapping[str, Any],
    *,
    status: str | None = None,
    shop_id: str = SHOP_ID,
) -> None:
    """Store any document, also one that no aggregate would have."""
    present = catalog.get(shop_id, kind, record_id)
    version = present.head.version if present else 0
    head = Head(
        shop_id=shop_id,
        kind=kind,
        id=record_id,
        version=version + 1,
        created_at=MOMENT,
        updated_at=MOMENT,
        name=f"{kind} {record_id}",
        status=status,
    )
    catalog.commit(Commit(puts=[Put(record=Record(head=head, body=body), expected_version=version)]))
