"""Every family in one application, two tenants with one thing of each kind, and the operations of the document."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from abtest.contract.schema_messages import INVALID
from abtest.domain.credentials.api_keys import SCOPES, with_implied
from abtest.domain.egress.targets import PublicOnly
from abtest.domain.identity.roles import ROLES
from abtest.http.factory import create_app, handler
from abtest.services.audit_log.sealer import Sealer
from abtest.services.exports.requests import Exports
from abtest.services.jobs import Jobs
from abtest.services.quarantine import Quarantined
from abtest.services.settings.installation import Pages
from abtest.wiring.api_analytics import analytics_of
from abtest.wiring.api_assets import assets_uses
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_flags import flags_uses
from abtest.wiring.api_pages import pages_uses
from abtest.wiring.api_personalizations import personalizations_uses
from abtest.wiring.api_settings import settings_uses
from abtest.wiring.api_webhooks import WebhookParts, webhook_uses
from abtest.wiring.api_workspace import workspace_uses
from tests.integration.bad_input.examples import Examples
from tests.support.api import MemoryApi, Tenant, claim_host
from tests.support.client import Answer, Client
from tests.support.media import SVG
from tests.support.memory import MemoryDeliveryStore, MemoryLookStore, MemoryQueue, MemoryRollupStore, MemorySessions
from tests.support.memory.exports import MemoryExportStore
from tests.support.openapi import contract
from tests.support.sealing import LocalSealer
from tests.support.stores import put_profile
from tests.unit.outbound_http.servers import Net
from tools.openapi import routers

UNKNOWN = "0192e4a0-ffff-7000-8000-000000000000"
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    details: Json

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def body(self) -> Json | None:
        """The schema of its body."""
        content = self.details.get("requestBody", {}).get("content", {})
        found: Json | None = content.get("application/json", {}).get("schema")
        return found

    @property
    def needs_body(self) -> bool:
        return bool(self.details.get("requestBody", {}).get("required"))

    @property
    def takes_user_keys_only(self) -> bool:
        return "user_key_required" in self.details["responses"].get("403", {}).get("description", "")

    @property
    def scope(self) -> str | None:
        found: str | None = self.details.get("x-required-scope")
        return found

    @property
    def is_open(self) -> bool:
        return self.details.get("security") == []

    def parameters(self, place: str) -> list[Json]:
        return [parameter for parameter in self.details.get("parameters", []) if parameter["in"] == place]


def messages_of(answer: Answer) -> list[str]:
    """The message of each field of an error."""
    return [field["message"] for field in answer.json()["error"].get("fields", ())]


def is_wordless(message: str) -> bool:
    """Return whether a message has a regular expression of the document instead of words, or explains nothing."""
    return message == INVALID or any(pattern in message for pattern in PATTERNS)


def _patterns(value: Any) -> Iterator[str]:
    """Every pattern of a document, without anchors."""
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    if isinstance(value, Mapping) and isinstance(value.get("pattern"), str) and value.get("type") == "string":
        yield value["pattern"].strip("^$")
    for each in inside:
        yield from _patterns(each)


PATTERNS = frozenset(_patterns(contract().document))
OPERATIONS = [Operation(*found) for found in contract().operations()]
KEYED = [operation for operation in OPERATIONS if not operation.is_open]
WITH_BODY = [operation for operation in KEYED if operation.body is not None]
WRITING = [operation for operation in KEYED if operation.method != "GET"]
WITH_ID = [operation for operation in KEYED if "{" in operation.path]


class World:
    """The application and what its two tenants have. Three seconds lie between requests."""

    def __init__(self) -> None:
        self.api = MemoryApi([])
        base = self.api.management
        uses = {
            **settings_uses(base, MemorySessions(), Pages(sender=Net().sender(), rules=PublicOnly())),
            **experiments_uses(base, MemorySessions()),
            **flags_uses(base),
            **personalizations_uses(base),
            **assets_uses(base),
            **pages_uses(base),
            **workspace_uses(base),
            **webhook_uses(base, _webhook_parts()),
            **analytics_of(base.world, MemoryRollupStore(), MemoryLookStore(), MemoryQueue(), base.sessions),
            Quarantined: Quarantined(base.blobs, base.clock),
            Exports: Exports(base.world, Jobs(base.world, "export", MemoryQueue()), MemoryExportStore(base.blobs)),
        }
        self.api.handler = handler(create_app(list(routers()), base.services(uses)))
        self.examples = Examples(contract())
        self.theirs = self.api.tenant("Theirs")
        self.their_ids = self._things(self.theirs)
        self.renew()

    def renew(self) -> None:
        """Put a new shop of a new user in the place of mine, with one thing of each kind."""
        self.mine = self.api.tenant("Mine")
        self.my_ids = self._things(self.mine)
        self.user_key = self.api.key(kind="user", user_id=self.mine.user_id).text
        self._keys: dict[str, str] = {}

    def client(self, operation: Operation) -> Client:
        """Someone with every scope, of the kind of key that the operation takes."""
        return Client(self.api.handler, key=self.user_key if operation.takes_user_keys_only else self.mine.admin)

    def send(self, operation: Operation, ids: Mapping[str, str] | None = None, **options: Any) -> Answer:
        """The operation on my things unless `ids` names others."""
        return self.call(self.client(operation), operation, ids, **options)

    def call(
        self, client: Client, operation: Operation, ids: Mapping[str, str] | None = None, **options: Any
    ) -> Answer:
        """The operation by this client."""
        self.api.clock.advance(seconds=3)
        path = self.path(operation, self.my_ids if ids is None else ids)
        options["query"] = {**self._required_query(operation), **(options.get("query") or {})}
        return client.request(operation.method, path, **options)

    def _required_query(self, operation: Operation) -> Json:
        """Parameters without which there is no answer, each with one value that fits."""
        required = [parameter for parameter in operation.parameters("query") if parameter.get("required")]
        values = {parameter["name"]: self.examples.fitting(parameter["schema"]) for parameter in required}
        return {name: value[0] if isinstance(value, list) else value for name, value in values.items()}

    def path(self, operation: Operation, ids: Mapping[str, str]) -> str:
        """The address, with ids in their places; a shop's own goals have an id of their own."""
        alone = operation.path.startswith("/goals/")
        path = operation.path
        for parameter in operation.parameters("path"):
            name = parameter["name"]
            key = "shop_goal_id" if alone and name == "goal_id" else name
            path = path.replace(f"{{{name}}}", ids[key])
        return path

    def key_without(self, scope: str) -> str:
        """A key of my shop that may do everything but this, and nothing that implies it."""
        if scope not in self._keys:
            scopes = [other for other in SCOPES if scope not in with_implied([other])]
            self._keys[scope] = self.api.key(scopes, shop_id=self.mine.shop.id).text
        return self._keys[scope]

    def viewer_key_id(self) -> str:
        """The id of a key of my shop with the scopes of a viewer."""
        if "viewer" not in self._keys:
            self._keys["viewer"] = self.api.key(sorted(ROLES["viewer"]), shop_id=self.mine.shop.id).key.id
        return self._keys["viewer"]

    def _things(self, tenant: Tenant) -> dict[str, str]:
        client = Client(self.api.handler, key=tenant.admin)
        experiment = client.post("/experiments", {"name": "One", "goals": [CLICK]}).json()
        first = {"key": f"of {tenant.shop.name}"}
        wish = {"key": "one", "name": "One", "experience": first}
        personalization = client.post("/personalizations", wish).json()
        return {
            "shop_id": tenant.shop.id,
            "idea_id": client.post("/backlog/ideas", {"title": "One"}).json()["id"],
            "experiment_id": experiment["id"],
            "variation_id": experiment["variations"][1]["id"],
            "goal_id": experiment["goals"][0]["id"],
            "job_id": client.post(f"/experiments/{experiment['id']}/results/refresh").json()["job_id"],
            "export_id": client.post("/exports", EVENTS).json()["id"],
            "shop_goal_id": client.post("/goals", CLICK).json()["id"],
            **self._in_use(client),
            "flag_id": client.post("/flags", {"key": "one", "name": "One"}).json()["id"],
            "personalization_id": personalization["id"],
            "experience_key": personalization["experiences"][0]["key"],
            "trigger_id": client.post("/settings/data-layer-triggers", {"eventName": "purchase"}).json()["id"],
            "key_id": client.post("/api-keys", {"name": "K", "preset": "read_only"}).json()["id"],
            "session_id": self._preview(tenant, client),
            "asset_id": client.post("/assets", ASSET).json()["id"],
            **self._landing_page(client),
            "brief_id": client.post("/content-briefs", BRIEF).json()["id"],
            **self._webhook(client),
            "audit_log_id": self._sealed_row(tenant),
            **self._profile(tenant, client),
            "path": client.put(f"/workspace/files/of-{tenant.shop.name}.md", {"content": "One"}).json()["path"],
            "message_id": client.post("/inbox/messages", {"body": "One"}).json()["id"],
        }

    def _profile(self, tenant: Tenant, client: Client) -> dict[str, str]:
        """A run, and the profile with a fact and a finding that it could have left."""
        run_id = client.post("/store-profile/runs", {}).json()["id"]
        profile = put_profile(self.api.world, tenant.shop.id, run_id)
        return {"run_id": run_id, "fact_id": profile.facts[0].id, "finding_id": profile.findings[0].id}

    def _sealed_row(self, tenant: Tenant) -> str:
        """Seal the audit of the shop, and return the id of its newest row."""
        base = self.api.management
        Sealer(world=base.world, store=base.audit, blobs=base.seals).seal(tenant.shop.id, with_today=True)
        return base.catalog.audit(tenant.shop.id, entity_id=None, limit=1)[0][0].id

    def _preview(self, tenant: Tenant, client: Client) -> str:
        """A preview session of a host of the shop."""
        host = f"{tenant.shop.id}.shop.example"
        claim_host(self.api, tenant, host)
        return str(client.post("/previews", {"url": f"https://{host}/"}).json()["session_id"])

    @staticmethod
    def _landing_page(client: Client) -> dict[str, str]:
        """A landing page with a version and a QA run."""
        page = client.post("/landing-pages", {"name": "One", "slug": "one"}).json()["id"]
        version = client.post(f"/landing-pages/{page}/versions", {"spec": SPEC}).json()["id"]
        run = client.post(f"/landing-pages/{page}/qa-runs").json()["id"]
        # Never published, because a published page could not be deleted: there is no publish with any id.
        return {"landing_page_id": page, "version": version, "qa_run_id": run, "publish_id": run}

    @staticmethod
    def _webhook(client: Client) -> dict[str, str]:
        """An endpoint and what was sent to it."""
        wish = {"url": "https://hooks.shop.example/in", "events": ["experiment.started"]}
        webhook = client.post("/webhooks", wish).json()["id"]
        return {"webhook_id": webhook, "delivery_id": client.post(f"/webhooks/{webhook}/test").json()["id"]}

    @staticmethod
    def _in_use(client: Client) -> dict[str, str]:
        """A page, an audience and a group that something running uses: a body that is right deletes none of them."""
        page = client.post("/pages", {"name": "Products"}).json()["id"]
        audience = client.post("/audiences", {"name": "Phones", "rules": ON_PHONES}).json()["id"]
        targeting = {
            "pageRules": [{"id": page, "pageId": page}],
            "segmentRules": [{"id": audience, "audienceId": audience}],
        }
        running = client.post("/experiments", {"name": "Running", "targeting": targeting}).json()["id"]
        wish = {"name": "Checkout tests", "members": [{"experiment_id": running, "share": 0.5}]}
        group = client.post("/exclusion-groups", wish).json()["id"]
        assert client.post(f"/experiments/{running}/launch").status == 200
        return {"page_id": page, "audience_id": audience, "group_id": group}


def _webhook_parts() -> WebhookParts:
    return WebhookParts(
        store=MemoryDeliveryStore(), sealer=LocalSealer(), queue=MemoryQueue(), check=PublicOnly().target
    )


ON_PHONES = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}]}
EVENTS = {"dataset": "events", "format": "csv", "from": "2026-01-01T00:00:00.000Z", "to": "2026-01-02T00:00:00.000Z"}
SPEC = {
    "format": 1,
    "lang": "en",
    "theme": {},
    "blocks": [{"type": "cta", "id": "a", "heading": "Buy", "links": [{"label": "Buy", "href": "/"}]}],
}
ASSET = {"file_name": "one.svg", "content_base64": b64encode(SVG).decode()}
BRIEF = {"format": "landing", "angle": "One"}
CLICK = {"name": "Click", "type": "click", "selector": "#buy"}


@pytest.fixture(scope="session")
def world(event_loop_of_handlers: asyncio.AbstractEventLoop) -> World:
    """One world for all of it: nothing that is refused may change it."""
    asyncio.set_event_loop(event_loop_of_handlers)  # Mangum would make one of its own here and leave it open
    return World()
