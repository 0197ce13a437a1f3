"""Records of profiles in the catalog, one in each shop."""

from abtest.domain.profiles.model import RECORD_ID, StoreProfile
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import Catalog, Head, Put, Record


def read_profile(catalog: Catalog, shop_id: str, now: Timestamp) -> StoreProfile:
    """Return the profile of a shop; an empty one before its first run."""
    record = catalog.get(shop_id, "PROF", RECORD_ID)
    if record is None:
        return StoreProfile(shop_id=shop_id, created_at=now, updated_at=now)
    return decode(StoreProfile, record.body, version=record.head.version)


def put_of(profile: StoreProfile) -> Put:
    """Build the write of a profile that was read at the version before."""
    head = Head(
        shop_id=profile.shop_id,
        kind="PROF",
        id=RECORD_ID,
        version=profile.version,
        created_at=profile.created_at,
        updated_at=profile.updated_at,
    )
    body = encode(profile, omit=("version",))
    return Put(record=Record(head=head, body=body), expected_version=profile.version - 1)
