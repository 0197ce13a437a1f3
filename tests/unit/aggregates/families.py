"""An example of every family: how one is made, and how its text is changed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.assets.model import Asset
from abtest.domain.backlog.ideas import Idea, idea_key
from abtest.domain.credentials.api_keys import ApiKey
from abtest.domain.experiment_files.texts import sha256_of
from abtest.domain.identity.people import Invitation, Member
from abtest.domain.pages.briefs import ContentBrief
from abtest.domain.pages.model import LandingPage
from abtest.domain.reusable.model import DEFAULTS, Target, TargetKind
from abtest.domain.signals.model import Trigger
from abtest.domain.webhooks.endpoint import Sealed, Webhook
from abtest.domain.workspace.files import WorkspaceFile
from abtest.services.aggregates import Aggregates
from abtest.services.assets.records import ASSETS, AssetStore
from abtest.services.backlog.ideas import Ideas
from abtest.services.backlog.records import IDEAS
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.experiments.store import ExperimentStore
from abtest.services.flags.store import FLAGS, FlagStore
from abtest.services.goals import GOALS, ShopGoal, ShopGoals
from abtest.services.identity.records import INVITATIONS, MEMBERS, Invitations, Members
from abtest.services.key_records import KEYS, KeyStore
from abtest.services.pages.briefs import BRIEFS, ContentBriefs
from abtest.services.pages.pages import LANDING_PAGES, LandingPages
from abtest.services.personalizations.store import PERSONALIZATIONS, PersonalizationStore
from abtest.services.publication.budget import CodeBudget
from abtest.services.resources import Resource
from abtest.services.reusable.exclusion_groups import GROUPS, ExclusionGroups
from abtest.services.reusable.targets import AUDIENCES, PAGES, Audiences, Pages
from abtest.services.shop_records import SHOPS, ShopStore
from abtest.services.signals.triggers import TRIGGERS, Triggers
from abtest.services.storefronts import Storefronts
from abtest.services.webhooks.records import WEBHOOKS
from abtest.services.workspace.store import FILES, WorkspaceFiles
from tests.support import delivered, storefronts
from tests.support.memory import MemoryBlobs

SHOP, OTHER_SHOP = storefronts.SHOP_ID, "0192a3b4-0000-7000-8000-0000000000bb"
MOMENT = storefronts.MOMENT


def number_id(number: int) -> str:
    """Ids that rise with their numbers."""
    return f"0192a3b4-0000-7000-8000-{number:012d}"


Store = Callable[[World, Storefronts], Aggregates[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One kind of aggregate. `edited` changes the field named `field` into a text.

    `store` builds the family's own subclass of the store; without one, the family is tested on the plain store.
    """

    resource: Resource[Any]
    make: Callable[[int, str], Any]
    field: str = "name"
    is_archivable: bool = False
    store: Store | None = None

    def store_on(self, world: World, storefronts: Storefronts) -> Aggregates[Any]:
        """The store that the suite runs over."""
        return self.store(world, storefronts) if self.store else Aggregates(world, self.resource, storefronts)

    def edited(self, aggregate: Any, text: str) -> Any:
        """The aggregate with another text."""
        if isinstance(aggregate, ShopGoal):
            return replace(aggregate, goal=replace(aggregate.goal, name=text))
        if isinstance(aggregate, Trigger):
            return replace(aggregate, says={**aggregate.says, "eventName": text})
        return replace(aggregate, **{self.field: text})

    def archived(self, aggregate: Any) -> Any:
        """The aggregate taken out of use."""
        if isinstance(aggregate, ShopGoal):
            return replace(aggregate, goal=replace(aggregate.goal, archived_at=MOMENT))
        if self.resource is FLAGS:
            return replace(aggregate, status="archived")
        return replace(aggregate, **{"revoked_at" if self.resource is KEYS else "archived_at": MOMENT})


def _experiment(number: int, shop_id: str) -> Any:
    variations = tuple(
        replace(storefronts.variation(arm), id=number_id(1000 * number + arm), public_id=f"{number}{arm:09}")
        for arm in range(2)
    )
    fields = {"id": number_id(number), "shop_id": shop_id, "public_id": f"7{number:09}", "version": 0}
    return storefronts.experiment(number, name=f"Item {number}", variations=variations, **fields)


def _target(kind: TargetKind) -> Callable[[int, str], Target]:
    return lambda number, shop_id: Target(
        kind=kind,
        id=number_id(number),
        shop_id=shop_id,
        name=f"Item {number}",
        fields={name: [] if default == () else default for name, default in DEFAULTS[kind].items()},
        created_at=MOMENT,
        updated_at=MOMENT,
    )


def _key(number: int, shop_id: str) -> ApiKey:
    return ApiKey(
        id=number_id(number),
        shop_id=shop_id,
        kind="shop",
        lookup_id=f"{number:012}" if shop_id == SHOP else f"x{number:011}",
        sha256="f" * 64,
        last_four="abcd",
        name=f"Item {number}",
        user_id=number_id(9),
        scopes=("shop:read",),
        created_at=MOMENT,
        created_by=number_id(9),
        updated_at=MOMENT,
    )


def _webhook(number: int, shop_id: str) -> Webhook:
    return Webhook(
        id=number_id(number),
        shop_id=shop_id,
        url=f"https://hooks.example/{number}",
        events=("experiment.started",),
        secret=Sealed("sealed secret"),
        slot=number,
        created_at=MOMENT,
        updated_at=MOMENT,
    )


def _trigger(number: int, shop_id: str) -> Trigger:
    fields: dict[str, Any] = {"id": number_id(number), "shop_id": shop_id, "seat": number}
    fields["says"] = {"eventName": f"Item {number}"}
    return Trigger(created_at=MOMENT, updated_at=MOMENT, **fields)


def _goal(number: int, shop_id: str) -> ShopGoal:
    goal = storefronts.goal(id=number_id(number), experiment_id=None, name=f"Item {number}")
    return ShopGoal(shop_id=shop_id, goal=goal)


def _brief(number: int, shop_id: str) -> ContentBrief:
    texts: dict[str, Any] = {"angle": f"Item {number}", "format": "landing"}
    return ContentBrief(id=number_id(number), shop_id=shop_id, created_at=MOMENT, updated_at=MOMENT, **texts)


def _landing_page(number: int, shop_id: str) -> LandingPage:
    fields: dict[str, Any] = {"name": f"Item {number}", "slug": f"item-{number}", "publish_host": "shop.example"}
    fields |= {"created_at": MOMENT, "updated_at": MOMENT}
    return LandingPage(id=number_id(number), shop_id=shop_id, seat=number, **fields)


def _asset(number: int, shop_id: str) -> Asset:
    fields: dict[str, Any] = {"name": f"Item {number}", "file_name": "one.svg", "mime_type": "image/svg+xml"}
    fields |= {"size_bytes": 4, "uploaded_bytes": 4, "upload_sha256": "0" * 64}
    return Asset(id=number_id(number), shop_id=shop_id, created_at=MOMENT, updated_at=MOMENT, **fields)


def _plain(kind: Callable[..., Any]) -> Callable[[int, str], Any]:
    return lambda number, shop_id: kind(
        id=number_id(number), shop_id=shop_id, name=f"Item {number}", created_at=MOMENT, updated_at=MOMENT
    )


def _named(make: Callable[..., Any]) -> Callable[[int, str], Any]:
    return lambda number, shop_id: make(number=number, id=number_id(number), shop_id=shop_id, name=f"Item {number}")


def _idea(number: int, shop_id: str) -> Idea:
    return Idea(
        id=number_id(number),
        shop_id=shop_id,
        key=idea_key(number),
        title=f"Item {number}",
        created_at=MOMENT,
        updated_at=MOMENT,
    )


def _member(number: int, shop_id: str) -> Member:
    return Member(
        id=number_id(number),
        org_id=shop_id,
        name=f"Item {number}",
        role="editor",
        invited_by=number_id(9),
        created_at=MOMENT,
        updated_at=MOMENT,
    )


def _invitation(number: int, shop_id: str) -> Invitation:
    return Invitation(
        id=number_id(number),
        org_id=shop_id,
        email=f"Item {number}",
        role="viewer",
        sha256=f"{shop_id}{number}",
        expires_at=MOMENT,
        invited_by=number_id(9),
        created_at=MOMENT,
        updated_at=MOMENT,
    )


def _file(number: int, shop_id: str) -> WorkspaceFile:
    path = number_id(number)
    return WorkspaceFile(
        id=path,
        shop_id=shop_id,
        path=path,
        content=f"Item {number}",
        sha256=sha256_of(f"Item {number}"),
        size_bytes=6,
        created_at=MOMENT,
        updated_at=MOMENT,
    )


FAMILIES = {
    "experiments": Family(resource=EXPERIMENTS, make=_experiment, is_archivable=True),
    "flags": Family(resource=FLAGS, make=_named(delivered.flag), is_archivable=True),
    "personalizations": Family(resource=PERSONALIZATIONS, make=_named(delivered.personalization), is_archivable=True),
    "pages": Family(resource=PAGES, make=_target("PAGE")),
    "audiences": Family(resource=AUDIENCES, make=_target("AUD")),
    "exclusion groups": Family(resource=GROUPS, make=_named(delivered.group)),
    "data-layer triggers": Family(resource=TRIGGERS, make=_trigger, field="eventName"),
    "workspace files": Family(resource=FILES, make=_file, field="sha256"),
    "ideas": Family(resource=IDEAS, make=_idea, field="title", is_archivable=True),
    "goals": Family(resource=GOALS, make=_goal, is_archivable=True),
    "content briefs": Family(resource=BRIEFS, make=_brief, field="angle", is_archivable=True),
    "landing pages": Family(resource=LANDING_PAGES, make=_landing_page, is_archivable=True),
    "assets": Family(resource=ASSETS, make=_asset, is_archivable=True),
    "webhooks": Family(resource=WEBHOOKS, make=_webhook, field="url", is_archivable=True),
    "members": Family(resource=MEMBERS, make=_member),
    "invitations": Family(resource=INVITATIONS, make=_invitation, field="email"),
    "API keys": Family(resource=KEYS, make=_key, is_archivable=True),
    "shops": Family(resource=SHOPS, make=lambda number, shop_id: storefronts.shop(id=shop_id, name=f"Item {number}")),
}
BUDGET = CodeBudget(MemoryBlobs())
STORES: dict[str, Store] = {
    "experiments": lambda world, storefronts: ExperimentStore(world, storefronts, BUDGET),
    "flags": lambda world, storefronts: FlagStore(world, storefronts, BUDGET),
    "personalizations": lambda world, storefronts: PersonalizationStore(world, storefronts, BUDGET),
    "pages": Pages,
    "audiences": Audiences,
    "exclusion groups": ExclusionGroups,
    "data-layer triggers": Triggers,
    "goals": lambda world, _: ShopGoals(world),
    "content briefs": lambda world, _: ContentBriefs(world),
    "ideas": lambda world, _: Ideas(world),
    "workspace files": lambda world, _: WorkspaceFiles(world),
    "landing pages": lambda world, _: LandingPages(world),
    "assets": lambda world, _: AssetStore(world),
    "members": lambda world, _: Members(world),
    "invitations": lambda world, _: Invitations(world),
    "API keys": lambda world, _: KeyStore(world),
    "shops": ShopStore,
}
FAMILIES |= {f"{name} in their store": replace(FAMILIES[name], store=store) for name, store in STORES.items()}
LISTED = [name for name, family in FAMILIES.items() if family.resource is not SHOPS]
"""A shop is the one of its kind in its own partition; lists of shops are their owner's entries."""
