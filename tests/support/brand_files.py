"""Worker of brand files in memory, and the assets that it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from abtest.adapters.documents.reader import PdfTexts
from abtest.ports.documents import DocumentTexts
from abtest.services.assets.assets import Assets
from abtest.services.assets.uploads import AssetUploads
from abtest.services.jobs import Workbench
from abtest.services.settings.brand_reader import BrandReader
from abtest.wiring.api_assets import assets_uses
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import caller_of
from tests.support.client import Client
from tests.support.documents import pdf
from tests.support.memory import MemoryQueue


@dataclass
class Texts:
    """Reader of documents that shows the file itself; `meanwhile` runs while it reads."""

    meanwhile: Callable[[], object] = lambda: None
    contents: list[bytes] = field(default_factory=list)

    def beginning(self, content: bytes) -> str:
        self.contents.append(content)
        self.meanwhile()
        return f"text of {len(content)} bytes"


@dataclass
class BrandReading:
    """Worker of an application, which carries out messages as WorkerProfiles does."""

    api: MemoryApi
    documents: DocumentTexts = field(default_factory=PdfTexts)

    @property
    def queue(self) -> MemoryQueue:
        queue = self.api.management.profile_queue
        assert isinstance(queue, MemoryQueue)
        return queue

    def reader(self) -> BrandReader:
        """The use case of the worker."""
        management = self.api.management
        world = management.world
        return BrandReader(world=world, bench=Workbench(world), files=management.public_files, documents=self.documents)

    def work(self) -> None:
        """Carry out every message that waits."""
        while self.queue.sent:
            self.carry_out(self.queue.sent.pop(0).body)

    def carry_out(self, message: str) -> None:
        """Carry out one message."""
        with self.api.management.catalog.under("WorkerProfiles"):
            self.reader().carry_out(message)


def excerpts(client: Client) -> list[tuple[str, str]]:
    """Return names and excerpts as the API shows them."""
    shown = client.get("/brand-context").json()["clientAssetExcerpts"]
    return [(each["name"], each["excerpt"]) for each in shown]


def put(client: Client, asset_ids: list[str], **parts: Any) -> dict[str, Any]:
    """Send the files of the context."""
    response = client.put("/brand-context", {"asset_ids": asset_ids, **parts})
    assert response.status == 200, response.body
    body: dict[str, Any] = response.json()
    return body


def put_document(api: MemoryApi, tenant: Tenant, content: bytes = b"", name: str = "guide.pdf") -> str:
    """Store a document as an asset of the shop. Return its id."""
    content = content or pdf(f"Text of {name}")
    return _created(api, tenant, {"file_name": name, "name": name, "content_base64": content})


def announced_document(api: MemoryApi, tenant: Tenant) -> str:
    """Announce a document whose file is not uploaded yet. Return its id."""
    return _created(api, tenant, {"file_name": "guide.pdf", "size_bytes": 10, "sha256": "0" * 64})


def _created(api: MemoryApi, tenant: Tenant, fields: Mapping[str, Any]) -> str:
    uploads = assets_uses(api.management)[AssetUploads]
    assert isinstance(uploads, AssetUploads)
    return uploads.create(caller_of(tenant), fields).id


def assets_of(api: MemoryApi) -> Assets:
    """Return the use cases of stored assets."""
    assets = assets_uses(api.management)[Assets]
    assert isinstance(assets, Assets)
    return assets
