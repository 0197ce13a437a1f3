"""Files that are uploaded to a signed address."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from abtest.adapters.images import PillowCodec
from abtest.contract.assets import Asset
from abtest.services.assets.assets import Assets
from abtest.services.assets.overdue import OverdueFiles
from abtest.services.assets.uploads import AssetUploads
from abtest.services.leases import LeaseLostError
from tests.contract.records import race
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import ORIGIN, announced, caller_of, fetched
from tests.support.client import Client
from tests.support.media import SVG, encoded, gradient, with_gps
from tests.support.memory import MemoryAssetFiles

PHOTO = encoded(gradient(size=(600, 400)), "JPEG", exif=with_gps())


@pytest.fixture
def asset(client: Client) -> dict[str, Any]:
    """An announced asset."""
    body: dict[str, Any] = client.post("/assets", announced("photo.jpg", PHOTO)).json()
    return body


def test_announcement__answers_where_to_send_the_file(client: Client, asset: dict[str, Any]) -> None:
    assert asset["public_url"] is None
    assert (asset["mime_type"], asset["size_bytes"]) == ("image/jpeg", len(PHOTO))
    assert asset["upload"]["expires_at"] == "2026-03-02T09:15:00.000Z"
    assert asset["upload"]["headers"]["Content-Type"] == "image/jpeg"
    stored = client.get(f"/assets/{asset['id']}").json()
    assert stored == {name: value for name, value in asset.items() if name != "upload"}


def test_announcement__that_cannot_be_signed__has_the_reason(client: Client, files: MemoryAssetFiles) -> None:
    files.can_sign = False
    response = client.post("/assets", announced("photo.jpg", PHOTO))
    assert (response.status, "upload" in response.json()) == (201, False)
    assert response.json()["url_error"]


def test_complete__examines_and_publishes_it__once(
    client: Client, files: MemoryAssetFiles, asset: dict[str, Any]
) -> None:
    files.receive(asset["upload"]["url"], PHOTO)
    path = f"/assets/{asset['id']}"
    completed = client.post(f"{path}/complete")
    assert (completed.status, completed.headers["etag"]) == (200, 'W/"2"')
    content = files.blobs.objects[completed.json()["public_url"].removeprefix(f"{ORIGIN}/")].blob.content
    assert b"secret place" not in content
    assert completed.json()["size_bytes"] == len(content)
    assert not list(files.keys("uploads/"))
    repeated = client.post(f"{path}/complete")
    assert (repeated.json(), repeated.headers["etag"]) == (completed.json(), 'W/"2"')
    assert client.get(path).json() == completed.json()


@pytest.mark.parametrize(
    ("content", "path"),
    [(None, "content"), (PHOTO[:-1], "size_bytes"), (PHOTO[:-1] + b"x", "sha256"), (b"", "size_bytes")],
)
def test_complete__of_another_file__is_422_and_publishes_nothing(
    client: Client, files: MemoryAssetFiles, asset: dict[str, Any], content: bytes | None, path: str
) -> None:
    if content is not None:
        files.receive(asset["upload"]["url"], content)
    answer = client.post(f"/assets/{asset['id']}/complete")
    assert (answer.status, answer.code, answer.paths) == (422, "validation_failed", [path])
    assert not list(files.keys("a/"))
    files.receive(asset["upload"]["url"], PHOTO)
    assert client.post(f"/assets/{asset['id']}/complete").status == 200


def test_complete__of_bytes_of_another_type__is_unsupported(client: Client, files: MemoryAssetFiles) -> None:
    script = b"GIF89a/*" + b" " * 20 + b"*/=1;alert(1)"
    for name, content in (("a.gif", script), ("a.png", SVG), ("a.svg", b"<html><script>1</script></html>")):
        asset = client.post("/assets", announced(name, content)).json()
        files.receive(asset["upload"]["url"], content)
        answer = client.post(f"/assets/{asset['id']}/complete")
        assert answer.status == 422, name
        assert client.get(f"/assets/{asset['id']}").json()["public_url"] is None
    assert not list(files.keys("a/"))


def test_complete__several_times_at_once__is_one_asset(
    api: MemoryApi, tenant: Tenant, client: Client, files: MemoryAssetFiles, asset: dict[str, Any]
) -> None:
    files.receive(asset["upload"]["url"], PHOTO)
    uploads = AssetUploads(Assets(api.world, ORIGIN), files, PillowCodec())
    answers = race(*[partial(uploads.complete, caller_of(tenant), asset["id"])] * 4)
    stored = client.get(f"/assets/{asset['id']}")
    assert [answer.model_dump(exclude_unset=True) for answer in answers if isinstance(answer, Asset)] == [
        stored.json()
    ] * 4
    assert stored.headers["etag"] == 'W/"2"'
    assert len(list(files.keys("a/"))) == 2


def test_complete__of_another_row_version__is_412_and_stores_nothing(
    client: Client, files: MemoryAssetFiles, asset: dict[str, Any]
) -> None:
    files.receive(asset["upload"]["url"], PHOTO)
    path = f"/assets/{asset['id']}"
    assert client.patch(path, {"name": "New"}).status == 200
    answer = client.post(f"{path}/complete", headers={"if-match": 'W/"1"'})
    assert (answer.status, answer.code) == (412, "version_conflict")
    assert not list(files.keys("a/"))
    completed = client.post(f"{path}/complete", headers={"if-match": 'W/"2"', "idempotency-key": "one"})
    assert (completed.status, completed.headers["etag"]) == (200, 'W/"3"')
    repeated = client.post(f"{path}/complete", headers={"if-match": 'W/"2"', "idempotency-key": "one"})
    assert repeated.json() == completed.json()


def test_complete__a_day_later__is_409(api: MemoryApi, client: Client, files: MemoryAssetFiles, asset: Any) -> None:
    files.receive(asset["upload"]["url"], PHOTO)
    api.clock.advance(hours=24, seconds=1)
    answer = client.post(f"/assets/{asset['id']}/complete")
    assert (answer.status, answer.code, answer.json()["allowed_actions"]) == (
        409,
        "invalid_state_transition",
        ["delete"],
    )


def test_sweep__removes_what_was_never_completed(api: MemoryApi, client: Client, asset: dict[str, Any]) -> None:
    sweep = OverdueFiles(api.world, api.management.asset_files)
    api.clock.advance(hours=24)
    assert sweep.run() == 0
    api.clock.advance(hours=1, seconds=1)
    assert sweep.run() == 1
    assert client.get(f"/assets/{asset['id']}").status == 404
    assert sweep.run() == 0


def test_sweep__of_an_asset_that_fails__goes_on_with_the_others(
    api: MemoryApi, client: Client, files: MemoryAssetFiles, asset: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/assets", announced("other.jpg", PHOTO))
    sweep, keys = OverdueFiles(api.world, files), files.keys

    def denied(prefix: str) -> Iterator[str]:
        if asset["id"] in prefix:
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "Access Denied"}}, "ListObjectsV2")
        return keys(prefix)

    monkeypatch.setattr(files, "keys", denied)
    api.clock.advance(hours=25, seconds=1)
    assert sweep.run() == 2
    api.clock.advance(days=31)
    assert (sweep.run(), sweep.run()) == (1, 0)
    assert [entry.id for entry in api.world.catalog.due("TRASH", api.world.now(), limit=9)] == [asset["id"]]


def test_sweep__that_loses_its_lease__stops_before_the_next_asset(
    api: MemoryApi, client: Client, asset: dict[str, Any]
) -> None:
    def lose() -> None:
        if len(client.get("/assets").json()["data"]) < 2:
            raise LeaseLostError

    client.post("/assets", announced("other.jpg", PHOTO))
    api.clock.advance(hours=25, seconds=1)
    with pytest.raises(LeaseLostError):
        OverdueFiles(api.world, api.management.asset_files).run(lose)
    assert len(client.get("/assets").json()["data"]) == 1


def test_sweep__removes_the_files_of_a_deleted_asset_after_30_days(
    api: MemoryApi, client: Client, files: MemoryAssetFiles, asset: dict[str, Any]
) -> None:
    files.receive(asset["upload"]["url"], PHOTO)
    path = client.post(f"/assets/{asset['id']}/complete").json()["public_url"].removeprefix(ORIGIN)
    client.delete(f"/assets/{asset['id']}")
    sweep = OverdueFiles(api.world, files)
    api.clock.advance(days=29, hours=23)
    assert (sweep.run(), fetched(files, path)["statusCode"]) == (0, 200)
    api.clock.advance(hours=2)
    files.blobs.available = False
    assert sweep.run() == 0
    files.blobs.available = True
    assert (sweep.run(), fetched(files, path)["statusCode"], list(files.keys("a/"))) == (1, 404, [])
    assert api.world.catalog.due("TRASH", api.world.now(), limit=9) == []
