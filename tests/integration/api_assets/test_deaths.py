"""Requests whose process dies around any write: no asset lacks an object, and no object stays without an asset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from abtest.adapters.images import PillowCodec
from abtest.services.assets.assets import Assets
from abtest.services.assets.overdue import OverdueFiles
from abtest.services.assets.uploads import AssetUploads
from abtest.services.context import World
from tests.faults.faults import Fate, Fated, KilledError
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import ORIGIN, announced, caller_of
from tests.support.media import encoded, gradient

PHOTO = encoded(gradient(size=(1000, 400)), "JPEG")
MOST_CALLS = 60
Act = Callable[["Service"], object]


class Service:
    """The use cases of one process, on ports that may end it."""

    def __init__(self, api: MemoryApi, tenant: Tenant, fate: Fate) -> None:
        catalog: Any = Fated(api.world.catalog, fate)
        world = World(catalog=catalog, clock=api.clock, random=api.world.random)
        files: Any = Fated(api.management.files, fate)
        self.caller = caller_of(tenant)
        self.assets = Assets(world, ORIGIN)
        self.uploads = AssetUploads(self.assets, files, PillowCodec())
        self.sweep = OverdueFiles(world, files)


def direct(service: Service) -> object:
    """Upload a file with the request."""
    return service.uploads.create(service.caller, {"file_name": "a.jpg", "content_base64": PHOTO})


def deaths(api: MemoryApi, tenant: Tenant, act: Act) -> Iterator[int]:
    """Let the act die before and after each of its calls, one after the other, until it survives."""
    for number in range(1, MOST_CALLS):
        for after in (False, True):
            try:
                act(Service(api, tenant, Fate(at=number, after=after)))
            except KilledError:
                yield number
            else:
                return
    raise AssertionError("the act has more calls than expected")


def assert_whole(api: MemoryApi, tenant: Tenant) -> None:
    """Every complete asset has its objects, and the quota counts what is there."""
    objects, assets = api.management.files.blobs.objects, Assets(api.world, ORIGIN)
    heads = api.world.catalog.list(tenant.shop.id, "ASSET", limit=200).heads
    stored = assets.get_many(tenant.shop.id, [head.id for head in heads])
    for asset in stored:
        if asset.status == "ready":
            keys = {asset.file_key, *(asset.rendition_key(each.width) for each in asset.renditions)}
            assert keys <= objects.keys()
            assert len(keys) == 3
    quota = api.world.catalog.get(tenant.shop.id, "QUOTA", "ASSETS")
    counted = {"assets": len(stored), "bytes": sum(asset.uploaded_bytes for asset in stored)}
    assert (dict(quota.body) if quota else {"assets": 0, "bytes": 0}) == counted


def assert_nothing_is_lost(api: MemoryApi, tenant: Tenant) -> None:
    """After the sweeps of two months there are only objects of assets."""
    assert_whole(api, tenant)
    for _ in range(40):
        api.clock.advance(hours=36)
        while OverdueFiles(api.world, api.management.files).run():
            pass
    assert_whole(api, tenant)
    heads = api.world.catalog.list(tenant.shop.id, "ASSET", limit=200).heads
    assert {head.status for head in heads} <= {"ready"}
    prefixes = tuple(f"a/{head.id}/" for head in heads)
    left = [key for key in api.management.files.keys("a/") if not key.startswith(prefixes)]
    assert left == []
    assert not api.world.catalog.due("TRASH", "9999", limit=9)


def test_creation__that_dies_at_any_call__loses_nothing(api: MemoryApi, tenant: Tenant) -> None:
    assert len(list(deaths(api, tenant, direct))) >= 12
    assert_nothing_is_lost(api, tenant)


def test_completion__that_dies_at_any_call__can_be_repeated(api: MemoryApi, tenant: Tenant) -> None:
    alive = Service(api, tenant, Fate())
    created = alive.uploads.create(alive.caller, announced("a.jpg", PHOTO))
    api.management.files.receive(created.upload.url, PHOTO)
    for _ in deaths(api, tenant, lambda service: service.uploads.complete(service.caller, created.id)):
        assert_whole(api, tenant)
    assert alive.assets.get(tenant.shop.id, created.id).status == "ready"
    assert_nothing_is_lost(api, tenant)


def test_announcement__that_dies_at_any_call__is_swept(api: MemoryApi, tenant: Tenant) -> None:
    fields = announced("a.jpg", PHOTO)
    assert len(list(deaths(api, tenant, lambda service: service.uploads.create(service.caller, fields)))) >= 3
    assert_nothing_is_lost(api, tenant)
    assert api.world.catalog.list(tenant.shop.id, "ASSET", limit=9).heads == []


def test_deletion__that_dies_at_any_call__deletes_all_or_nothing(api: MemoryApi, tenant: Tenant) -> None:
    alive = Service(api, tenant, Fate())
    ids = [direct(alive).id for _ in range(30)]  # type: ignore[attr-defined]

    def delete(service: Service) -> None:
        service.assets.delete(service.caller, ids.pop(), expected_version=None)

    for _ in deaths(api, tenant, delete):
        assert_whole(api, tenant)
    assert_nothing_is_lost(api, tenant)


@pytest.mark.parametrize("is_deleted", [True, False])
def test_sweep__that_dies_at_any_call__is_finished_by_the_next(
    api: MemoryApi, tenant: Tenant, is_deleted: bool
) -> None:
    alive = Service(api, tenant, Fate())
    for _ in range(6):
        created = alive.uploads.create(alive.caller, announced("a.jpg", PHOTO))
        api.management.files.receive(created.upload.url, PHOTO)
        if is_deleted:
            alive.uploads.complete(alive.caller, created.id)
            alive.assets.delete(alive.caller, created.id, expected_version=None)
    api.clock.advance(seconds=timedelta(days=31).total_seconds())
    for _ in deaths(api, tenant, lambda service: service.sweep.run()):
        assert_whole(api, tenant)
    assert_nothing_is_lost(api, tenant)
    assert list(api.management.files.keys("a/")) == []
