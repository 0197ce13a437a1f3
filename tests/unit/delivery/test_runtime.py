"""Runtime settings in what is published: the config of each environment, the active one, what webhooks are told."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from abtest.domain.delivery.manifest import ACTIVE, object_key, pointer_key
from abtest.domain.settings import consent, exposure_destinations, external_tracking
from abtest.domain.settings.environments import Environment, Environments
from abtest.domain.settings.runtime import (
    CONSENT,
    ENVIRONMENTS,
    EXPOSURE_DESTINATIONS,
    EXTERNAL_TRACKING,
    PUBLICATION,
)
from abtest.edge.publications import Publications
from abtest.kit.documents import encode
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Commit, Head, Put, Record
from abtest.services.publication import PublicationOutcome
from abtest.services.publication.announcements import REMEMBERED, announce
from abtest.services.publication.pointers import Flipped
from tests.support.delivered import flag, keep
from tests.support.memory import MemoryCatalog
from tests.support.storefronts import MOMENT, SHOP_ID, Storefront, experiment
from tests.unit.delivery.test_publication_environments import CrashError, config, interrupted, publish

OTHER_REVISION = 5


@pytest.fixture
def storefront() -> Storefront:
    return Storefront()


def store(storefront: Storefront, record_id: str, document: Mapping[str, Any]) -> None:
    """Store a setting, whatever stands there."""
    present = storefront.catalog.get(SHOP_ID, "SET", record_id)
    version = present.head.version if present else 0
    head = Head(shop_id=SHOP_ID, kind="SET", id=record_id, version=version + 1, created_at=MOMENT, updated_at=MOMENT)
    storefront.catalog.commit(Commit(puts=[Put(record=Record(head=head, body=document), expected_version=version)]))


def declare(storefront: Storefront, *items: Environment, active: str = "production") -> None:
    store(storefront, ENVIRONMENTS, encode(Environments(active_key=active, items=items)))


def environment(key: str, *domains: str) -> Environment:
    return Environment(
        key=key, name=key, is_default=key == "production", sub_snippet_enabled=bool(domains), domains=domains
    )


PRODUCTION = environment("production", "shop.example")
STAGING = environment("staging", "stage.shop.example")


def runtime(storefront: Storefront, key: str = "production") -> dict[str, Any]:
    found = config(storefront, key)
    assert found is not None
    told: dict[str, Any] = found["runtime"]
    return told


def told(storefront: Storefront) -> list[tuple[int, str]]:
    """Revision and environment of every row that waits for webhooks."""
    rows = storefront.catalog.outbox("webhook", created_before="9999", limit=1000)
    return sorted((row.payload["revision"], row.payload["environment_key"]) for row in rows)


# ------------------------------------------------------------------ configs


def test_runtime__of_a_shop_that_said_nothing__has_no_optional_field(storefront: Storefront) -> None:
    publish(storefront)
    assert set(runtime(storefront)) == {"environment", "currency", "events_url", "events_signature"}


def test_runtime__of_a_shop_that_said_everything__has_it(storefront: Storefront) -> None:
    mode = consent.merged(consent.UNTOUCHED, {"enabled": True, "provider": "provider_b"})
    store(storefront, CONSENT, encode(mode))
    tracking = external_tracking.merged(external_tracking.UNTOUCHED, {"domains": ("pay.example",)})
    store(storefront, EXTERNAL_TRACKING, encode(tracking))
    chosen = exposure_destinations.merged(exposure_destinations.UNTOUCHED, {"segment": True})
    store(storefront, EXPOSURE_DESTINATIONS, encode(chosen))
    declare(storefront, PRODUCTION, STAGING)
    assert publish(storefront).ok
    found = runtime(storefront)
    assert found["consent"] == consent.compiled(mode)
    assert found["handover"] == external_tracking.handover(tracking, "https://edge.example/_svc/handover")
    assert found["environments"] == [{"key": "staging", "domains": ["stage.shop.example"]}]
    assert found["exposures"] == ["segment"]
    others = runtime(storefront, "staging")
    assert (others["environment"], others["consent"]) == ("staging", found["consent"])
    assert "environments" not in others, "a sub-snippet leads nowhere"


def test_publish__consent_that_this_release_does_not_know__publishes_nothing(storefront: Storefront) -> None:
    publish(storefront)
    before = storefront.blobs.get(pointer_key(SHOP_ID))
    store(storefront, CONSENT, {**encode(consent.UNTOUCHED), "enabled": True, "provider": "of a later release"})
    storefront.keep(experiment())
    assert not publish(storefront).ok
    assert storefront.blobs.get(pointer_key(SHOP_ID)) == before


def test_publish__declared_environments__are_served_also_when_empty(storefront: Storefront) -> None:
    declare(storefront, PRODUCTION, STAGING)
    keep(storefront.catalog, flag(1, environment_key="preview"))
    publish(storefront)
    assert [runtime(storefront, key)["environment"] for key in ("production", "staging", "preview")] == [
        "production",
        "staging",
        "preview",
    ]


def test_publish__twelve_declared_without_production__are_served_and_production_too(storefront: Storefront) -> None:
    keys = [f"e{number:02d}" for number in range(12)]
    declare(storefront, *map(environment, keys), active="e11")
    keep(storefront.catalog, flag(1, environment_key="undeclared"))
    outcome = publish(storefront)
    assert outcome.reasons == ["environment 'undeclared' is left out: a shop has at most 12"]
    assert all(config(storefront, key) is not None for key in ["production", *keys])


# ------------------------------------------------------------------ the active environment


def served(storefront: Storefront, key: str = ACTIVE) -> str:
    body, _ = Publications(storefront.blobs, storefront.clock).read("config", SHOP_ID, key, "identity")
    found = storefront.blobs.get(object_key(body.sha256))
    assert found is not None
    name: str = json.loads(found.content)["runtime"]["environment"]
    return name


def test_active__untouched__is_production(storefront: Storefront) -> None:
    publish(storefront)
    assert served(storefront) == "production"


def test_active__another__is_served_where_none_is_named(storefront: Storefront) -> None:
    declare(storefront, PRODUCTION, STAGING, active="staging")
    publish(storefront)
    assert served(storefront) == "staging"
    assert served(storefront, "production") == "production"
    declare(storefront, PRODUCTION, STAGING)
    publish(storefront)
    assert served(storefront) == "production"


def test_active__flipped_but_not_yet_there__is_the_default_for_a_moment(storefront: Storefront) -> None:
    declare(storefront, PRODUCTION, STAGING, active="staging")
    assert not interrupted(storefront, "staging", crash).ok
    assert served(storefront) == "production"
    publish(storefront)
    assert served(storefront) == "staging"


# ------------------------------------------------------------------ webhooks


def crash() -> None:
    raise CrashError


def listened(storefront: Storefront, since: int = 0) -> None:
    store(storefront, PUBLICATION, {"webhooks_from": since})


def test_webhooks__not_enabled__are_told_nothing(storefront: Storefront) -> None:
    publish(storefront)
    assert told(storefront) == []


def test_webhooks__enabled__are_told_of_each_flip_once(storefront: Storefront) -> None:
    listened(storefront)
    declare(storefront, PRODUCTION, STAGING)
    assert publish(storefront) == PublicationOutcome(ok=True, revision=1, reasons=[])
    assert publish(storefront) == PublicationOutcome(ok=True, revision=2, reasons=[])
    assert told(storefront) == [(1, "production"), (1, "staging"), (2, "production"), (2, "staging")]
    # Rows of one moment come in any order: they are found by what they say.
    rows = storefront.catalog.outbox("webhook", created_before="9999", limit=9)
    payloads = {(row.payload["revision"], row.payload["environment_key"]): row.payload for row in rows}
    assert payloads[1, "production"] == {
        "event": "project.published",
        "project_id": SHOP_ID,
        "revision": 1,
        "environment_key": "production",
        "status": "published",
        "published_at": MOMENT,
    }


def test_webhooks__enabled_later__are_not_told_of_what_was(storefront: Storefront) -> None:
    publish(storefront)
    listened(storefront, since=storefront.catalog.next_revision(SHOP_ID))
    publish(storefront)
    assert told(storefront) == [(3, "production")]


def test_webhooks__flips_whose_process_died__are_told_by_the_next_with_their_moment(storefront: Storefront) -> None:
    listened(storefront)
    declare(storefront, PRODUCTION, STAGING)
    assert not interrupted(storefront, "staging", crash).ok
    assert told(storefront) == []
    storefront.clock.advance(minutes=5)
    publish(storefront)
    assert told(storefront) == [(1, "production"), (2, "production"), (2, "staging")]
    rows = storefront.catalog.outbox("webhook", created_before="9999", limit=9)
    first = next(row.payload for row in rows if row.payload["revision"] == 1)
    assert first["published_at"] == MOMENT


class Failing(MemoryCatalog):
    """The first commits with webhook rows fail, before or after they were stored."""

    def __init__(self, *, stored: bool) -> None:
        super().__init__()
        self._stored, self.fails = stored, True

    def commit(self, change: Commit) -> None:
        if self.fails and any(row.topic == "webhook" for row in change.outbox):
            self.fails = False
            if self._stored:
                super().commit(change)
            raise DatabaseBusyError
        super().commit(change)


@pytest.mark.parametrize("stored", [False, True])
def test_webhooks__row_that_could_not_be_written_or_whose_answer_was_lost__is_there_once_after_the_repeat(
    stored: bool,
) -> None:
    storefront = Storefront(catalog=Failing(stored=stored))
    listened(storefront)
    assert not publish(storefront).ok, "the publication is repeated until its webhooks know"
    assert publish(storefront).ok
    assert told(storefront) == [(1, "production"), (2, "production")]


def test_webhooks__overtaken_publication__is_told_for_what_flipped_only(storefront: Storefront) -> None:
    def newer() -> None:
        assert publish(storefront).ok

    listened(storefront)
    assert interrupted(storefront, "production", newer).ok
    assert told(storefront) == [(2, "production")]


def flips(*revisions: int) -> list[Flipped]:
    return [Flipped(environment="production", revision=revision, at=MOMENT) for revision in revisions]


@pytest.mark.parametrize(("late", "count"), [(1, REMEMBERED), (OTHER_REVISION, REMEMBERED + 1)])
def test_announce__by_one_that_is_late__tells_what_is_not_told_while_that_is_remembered(
    storefront: Storefront, late: int, count: int
) -> None:
    """Of a hundred revisions it is known what was told; a process further behind cannot know, and keeps silent."""
    remembered = [revision for revision in range(2, REMEMBERED + 3) if revision != OTHER_REVISION]
    tell(storefront, *remembered)
    tell(storefront, late)
    tell(storefront, *remembered)
    assert len(told(storefront)) == count


def test_announce__of_what_an_earlier_release_announced__is_not_repeated(storefront: Storefront) -> None:
    store(storefront, "SET#ANNOUNCED", {"told": {"2": ["production"], "3": ["production"]}})
    tell(storefront, 2, 3, 4)
    tell(storefront, 2, 3, 4)
    assert len(told(storefront)) == 1


def tell(storefront: Storefront, *revisions: int) -> None:
    announce(storefront.world, SHOP_ID, flips(*revisions), since=0)
