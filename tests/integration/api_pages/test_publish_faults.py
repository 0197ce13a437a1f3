"""Publishing whose process dies around any write, races and sequences of it: the edge gets what the catalog has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.ports.cdn import CdnRefusedError, CdnUnavailableError
from abtest.wiring import api_pages as wiring
from api_pages.routes import ROUTERS
from tests.faults.faults import Fate, Fated
from tests.integration.api_pages.publishing import FAR, HOST, Page, claim, keep_promises, live_at
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client
from tests.support.memory import MemoryCdn

PATHS = ("/lamp", "/light")
WRITES = {"catalog": ("commit", "outbox_done"), "blobs": ("put",), "cdn": ("invalidate",)}
"""Calls around which the process dies. Between two of them only reads differ, which leave nothing behind."""

RACING = 50
Request = tuple[str, Any]


@pytest.fixture
def cdn(monkeypatch: pytest.MonkeyPatch) -> MemoryCdn:
    """The CDN in front of the edge."""
    cdn = MemoryCdn()
    monkeypatch.setattr(wiring, "cdn_of", lambda _: cdn)
    return cdn


@pytest.fixture
def api(cdn: MemoryCdn) -> MemoryApi:
    """The family, with this CDN."""
    return served(cdn)


def served(cdn: MemoryCdn) -> MemoryApi:
    """The family under the policy of its function."""
    api = MemoryApi([])
    api.management.without_browser()
    api.management.cdn = cdn  # type: ignore[attr-defined]
    api.serve("ApiPages", ROUTERS, wiring.pages_uses(api.management))
    return api


@pytest.fixture
def page(api: MemoryApi, tenant: Tenant, client: Client) -> Page:
    """An approved page that was never published."""
    claim(api, tenant.shop.id, HOST)
    return Page.created(client, publish_path=PATHS[0])


@contextmanager
def fated(api: MemoryApi, fate: Fate) -> Iterator[None]:
    """Let the stores of the process have this fate."""
    ports: dict[str, Any] = {
        "catalog": api.management.catalog,
        "blobs": api.management.blobs,
        "cdn": api.management.cdn,  # type: ignore[attr-defined]
    }
    with pytest.MonkeyPatch.context() as patch:
        for port, names in WRITES.items():
            for name in names:
                patch.setattr(ports[port], name, getattr(Fated(ports[port], fate), name))
        yield


def check(api: MemoryApi, *pages: Page) -> None:
    """Compare what visitors get with what the pages are."""
    live: dict[str, str] = {}
    for page in pages:
        shown, statuses = page.shown(), [each["status"] for each in page.publishes()]
        assert set(statuses) <= {"published", "superseded", "unpublished"}, statuses
        assert statuses.count("published") == (shown["published_version_id"] is not None)
        live |= {each["path"]: each["id"] for each in page.publishes() if each["status"] == "published"}
    assert {path: live_at(api.management.blobs, path) for path in PATHS} == {path: live.get(path) for path in PATHS}


def publish(page: Page) -> Request:
    """Publish the current version where the page is."""
    return f"{page.path}/publish", {"path": page.shown()["publish_path"]}


def move(page: Page) -> Request:
    """Publish at the address where the page is not."""
    return f"{page.path}/publish", {"path": PATHS[1 - PATHS.index(page.shown()["publish_path"])]}


def roll_back(page: Page) -> Request:
    """Go back to the oldest publish, at the other address."""
    return f"{page.path}/rollback", {"publish_id": page.publishes()[-1]["id"]}


def unpublish(page: Page) -> Request:
    """Take the page offline."""
    return f"{page.path}/unpublish", None


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("action", "made"), [(publish, 1), (move, 1), (roll_back, 1), (unpublish, 0)])
def test_action__killed_at_any_call__is_done_once(
    api: MemoryApi, page: Page, cdn: MemoryCdn, action: Callable[[Page], Request], made: int, after: bool
) -> None:
    for number in count(1):
        api.clock.advance(minutes=2)
        if page.shown()["published_version_id"] is None or len(page.publishes()) < 2:
            page.published(path=PATHS[0])
            api.clock.advance(seconds=1)
            page.published(path=PATHS[1])
        before = {each["id"] for each in page.publishes()}
        (path, body), fate = action(page), Fate(at=number, after=after)
        with fated(api, fate):
            page.client.post(path, body, headers={"idempotency-key": str(number)}, checked=False)
        # A claim of a request that died is free after a minute.
        api.clock.advance(minutes=2)
        if number % 2:
            keep_promises(api)
            check(api, page)
            assert len({each["id"] for each in page.publishes()} - before) <= made
        answer = page.client.post(path, body, headers={"idempotency-key": str(number)})
        assert answer.status in (200, 201), answer.body
        check(api, page)
        assert len({each["id"] for each in page.publishes()} - before) == made
        assert (page.shown()["published_version_id"] is None) == (action is unpublish)
        keep_promises(api)
        check(api, page)
        assert list(api.world.catalog.outbox("publish", created_before=FAR, limit=9)) == []
        if fate.calls < number:
            break
    assert number > 5
    assert cdn.orders


def answered_at_once(requests: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """Send requests at the same time."""

    def send(request: Callable[[], Answer]) -> Answer:
        with closing(asyncio.new_event_loop()) as loop:  # handlers run in the loop of their thread
            asyncio.set_event_loop(loop)
            return request()

    with ThreadPoolExecutor(len(requests)) as threads:
        return list(threads.map(send, requests))


def test_route__for_which_fifty_pages_race__is_won_by_one(api: MemoryApi, tenant: Tenant, client: Client) -> None:
    claim(api, tenant.shop.id, HOST)
    pages = []
    for number in range(RACING):
        pages.append(Page.created(client, slug=f"lamp-{number}", publish_path=PATHS[0]))
        api.clock.advance(minutes=4)  # a shop starts twenty QA runs an hour
    answers = answered_at_once([page.publish for page in pages])
    codes = [answer.status if answer.status == 201 else answer.code for answer in answers]
    assert sorted(map(str, codes)) == ["201"] + ["route_taken"] * (RACING - 1)
    winner = pages[codes.index(201)]
    assert live_at(api.management.blobs, PATHS[0]) == winner.publishes()[0]["id"]
    check(api, winner)
    for loser in pages:
        if loser != winner:
            assert (loser.shown()["status"], loser.publishes()) == ("ready", [])


def test_page__with_which_several_do_something_at_once__ends_as_the_catalog_has_it(api: MemoryApi, page: Page) -> None:
    page.published()
    api.clock.advance(seconds=1)
    there = page.published(path=PATHS[1])
    body = {"publish_id": page.publishes()[-1]["id"]}
    for _ in range(3):
        api.clock.advance(seconds=1)
        answers = answered_at_once(
            [
                lambda: page.publish(path=PATHS[0]),
                lambda: page.publish(path=PATHS[1]),
                lambda: page.client.post(f"{page.path}/rollback", body),
                lambda: page.client.post(f"{page.path}/unpublish"),
            ]
        )
        assert {answer.status for answer in answers} <= {200, 201, 409}
        assert 201 in {answer.status for answer in answers}
        keep_promises(api)
        check(api, page)
    assert there["id"] in {each["id"] for each in page.publishes()}


STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),  # page
        st.sampled_from(["publish", "rollback", "unpublish"]),
        st.sampled_from(PATHS),
        st.one_of(st.none(), st.integers(1, 9)),  # write around which the process dies
        st.booleans(),  # after it
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=15)
@given(steps=STEPS, last=st.booleans())
def test_sequences__of_actions_that_die__end_as_the_catalog_has_it(steps: list[Any], last: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        cdn = MemoryCdn()
        patch.setattr(wiring, "cdn_of", lambda _: cdn)
        api = served(cdn)
    tenant = api.tenant()
    claim(api, tenant.shop.id, HOST)
    client = api.client(tenant.admin)
    pages = [Page.created(client, slug=f"page-{number}") for number in range(2)]
    for place, action, path, at, after in steps:
        api.clock.advance(seconds=1)
        page = pages[place]
        body: Any = {"path": path} if action == "publish" else None
        if action == "rollback":
            body = {"publish_id": next((each["id"] for each in page.publishes()[1:]), page.id)}
        with fated(api, Fate(at=at, after=after)):
            answer = page.client.post(f"{page.path}/{action}", body, checked=False)
        assert answer.status in (200, 201, 409, 422, 500), answer.body
    keep_promises(api, newest_first=last)
    check(api, *pages)


def test_flip__with_a_later_one_between_its_read_and_its_write__does_not_overwrite_it(
    api: MemoryApi, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.published()
    put, later = api.management.blobs.put, [lambda: page.client.post(f"{page.path}/unpublish")]

    def slow(key: str, *arguments: Any, **named: Any) -> str:
        if key.startswith("pages/routes/") and later:
            (answer,) = answered_at_once([later.pop()])
            assert answer.json()["status"] == "unpublished"
        return put(key, *arguments, **named)

    api.clock.advance(seconds=1)
    with monkeypatch.context() as patch:
        patch.setattr(api.management.blobs, "put", slow)
        assert page.publish().json()["status"] == "unpublished"
    assert live_at(api.management.blobs, PATHS[0]) is None
    check(api, page)


@pytest.mark.parametrize(("error", "left"), [(CdnUnavailableError, 1), (CdnRefusedError, 0)])
def test_publish__whose_invalidation_fails__is_repeated_unless_that_is_useless(
    api: MemoryApi,
    page: Page,
    cdn: MemoryCdn,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: type[Exception],
    left: int,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error("an invalid path")

    monkeypatch.setattr(cdn, "invalidate", refuse)
    page.published()
    assert len(api.world.catalog.outbox("publish", created_before=FAR, limit=9)) == left
    levels = [record.levelname for record in caplog.records if record.getMessage().startswith("page.")]
    assert levels == ["WARNING" if left else "ERROR"]
