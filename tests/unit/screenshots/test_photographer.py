"""The worker of screenshots: each shot once, whatever pages, processes, messages and shops do."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from abtest.domain.assets.model import MAX_ASSETS
from abtest.domain.browsing.viewport import PHONE, Viewport
from abtest.domain.jobs.model import Job, JobHeldError
from abtest.domain.screenshots.order import ScreenshotOrder, asset_id_of
from abtest.ports.catalog import Commit, Remove
from abtest.services.assets.assets import Assets
from abtest.services.assets.quota import quota_put
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.screenshots.latest import read_latest
from abtest.services.screenshots.session import ALLOTTED, LOST
from tests.faults.faults import Fate, KilledError
from tests.support.assets import ORIGIN, caller_of
from tests.support.media import decoded
from tests.support.screenshots import Studio, script_of
from tests.support.scripted_browser import ScriptedPage, color_of
from tests.unit.experiments.examples import experiment
from tests.unit.webhooks.test_emission import faults

SMALL = Viewport(320, 320)
WINDOWS = (SMALL, Viewport(400, 320))
URLS = tuple(f"https://shop.example/{number}" for number in range(6))
DUE = timedelta(days=31, minutes=1)
MOST_CALLS = 80


def order(count: int = 6, **fields: Any) -> ScreenshotOrder:
    """An order of so many pages in one small window."""
    return ScreenshotOrder(**{"urls": URLS[:count], "viewports": (SMALL,), **fields})


def experiment_of(studio: Studio) -> tuple[str, list[str]]:
    """Store an experiment, and return its id and those of its variations."""
    made = replace(experiment(), shop_id=studio.shop_id, version=1)
    studio.api.world.catalog.commit(Commit(puts=[EXPERIMENTS.put(made)]))
    return made.id, [each.id for each in made.variations]


def test_job__of_twelve_with_a_bad_address__completes_with_eleven_assets_and_one_error(studio: Studio) -> None:
    studio.browsers.pages[URLS[4]] = ScriptedPage(failure="does not answer")
    job = studio.order(order(viewports=(SMALL, replace(PHONE, width=330))))
    studio.photographer().carry_out(studio.queue.bodies[0])
    done, film = studio.job(job), studio.film(job)
    assert (done.status, done.progress, done.error) == ("completed", 100, None)
    assert [(each.place, each.error) for each in film.outcomes if each.error] == [
        (8, "the page does not answer"),
        (9, "the page does not answer"),
    ]
    assert len(film.outcomes) == 12
    taken = [each for each in film.outcomes if each.asset_id]
    assert [each.asset_id for each in taken] == sorted(studio.asset_ids())
    phone = next(each for each in taken if each.width == 660)
    content = studio.content(phone.file_key or "")
    assert (decoded(content).size, sha256(content).hexdigest()) == ((660, 1688), phone.sha256)
    assert studio.browsers.most_at_once == 2
    assert "shop.example:443" in studio.browsers.reachable[0]
    assert "edge.test:443" in studio.browsers.reachable[0]
    studio.assert_whole()


def test_event__of_a_completed_job__obeys_the_catalogue_with_its_results(studio: Studio) -> None:
    studio.browsers.pages[URLS[1]] = ScriptedPage(status=404)
    job = studio.order(order(2))
    studio.photographer().carry_out(studio.queue.bodies[0])
    (event,) = studio.events()
    assert faults(event) == []
    assert (event["job_id"], event["experiment_id"]) == (job.id, None)
    taken, missed = event["results"]["screenshots"]
    assert taken["public_url"] == f"{ORIGIN}/a/{taken['asset_id']}/{taken['sha256'][:16]}/shop.example-320x320-01.png"
    assert (taken["width"], taken["height"], taken["truncated"], taken["error"]) == (320, 320, False, None)
    assert taken["viewport"] == {"width": 320, "height": 320, "device_scale": 1}
    assert (missed["asset_id"], missed["public_url"], missed["error"]) == (None, None, "the page answers 404")


def test_job__without_any_picture__fails_with_the_first_reason_and_without_an_event(studio: Studio) -> None:
    studio.browsers.pages = {url: ScriptedPage(failure="took longer than 30 s") for url in URLS}
    job = studio.order(order(3))
    studio.photographer().carry_out(studio.queue.bodies[0])
    done = studio.job(job)
    assert (done.status, done.error) == ("failed", "no page could be pictured: the page took longer than 30 s")
    assert len(studio.film(job).outcomes) == 3
    assert studio.events() == []


def test_message__that_comes_again__changes_nothing(studio: Studio) -> None:
    job = studio.order(order(2))
    message = studio.queue.bodies[0]
    studio.photographer().carry_out(message)
    before, visits = studio.job(job), len(studio.browsers.visits)
    studio.photographer().carry_out(message)
    assert studio.job(job) == before
    assert len(studio.browsers.visits) == visits
    assert len(studio.events()) == 1


def test_message__that_comes_twice_at_once__is_one_attempt(studio: Studio) -> None:
    job = studio.order(order(2))
    message, refused = studio.queue.bodies[0], list[bool]()

    def repeated() -> None:
        with pytest.raises(JobHeldError):
            studio.photographer().carry_out(message)
        refused.append(True)

    studio.browsers.pages[URLS[0]] = ScriptedPage(happens=repeated)
    studio.photographer().carry_out(message)
    assert (refused, studio.job(job).attempts) == ([True], 1)


@pytest.mark.parametrize("is_after", [False, True])
def test_worker__that_dies_at_any_call__leaves_a_job_that_the_next_ends(studio: Studio, is_after: bool) -> None:
    """A new job for each call: its first attempt dies there, and the second brings it to its end."""
    for number in range(1, MOST_CALLS):
        job = studio.order(order(3))
        message = studio.queue.bodies[-1]
        is_dead = False
        try:
            studio.photographer(Fate(at=number, after=is_after)).carry_out(message)
        except KilledError:
            is_dead = True
        studio.assert_whole()
        studio.api.clock.advance(minutes=2)
        studio.photographer().carry_out(message)
        assert_ended(studio, job)
        if not is_dead:
            break
    else:
        raise AssertionError("the job has more calls than expected")
    assert number > 25


def assert_ended(studio: Studio, job: Job) -> None:
    """The job completed once, with each of its assets."""
    assert studio.job(job).status == "completed"
    film = studio.film(job)
    assert [each.asset_id for each in film.outcomes] == [asset_id_of(job.id, place) for place in range(3)]
    assert {each.asset_id for each in film.outcomes} <= set(studio.asset_ids())
    assert [event["job_id"] for event in studio.events()].count(job.id) == 1
    studio.assert_whole()


def test_worker__killed_between_shots__continues_behind_them(studio: Studio) -> None:
    def killed() -> None:
        raise KilledError

    studio.browsers.pages[URLS[3]] = ScriptedPage(happens=killed)
    job = studio.order(order(6, viewports=WINDOWS))
    with pytest.raises(KilledError):
        studio.photographer().carry_out(studio.queue.bodies[0])
    done = {each.place for each in studio.film(job).outcomes}
    # The fourth page is opened while the pictures of the third are stored, at the earliest.
    assert {0, 1, 2} <= done
    assert not done & {6, 7}
    kept = set(studio.asset_ids())
    studio.browsers.pages.clear()
    studio.browsers.visits.clear()
    studio.api.clock.advance(minutes=2)
    studio.sweep()
    studio.photographer().carry_out(studio.queue.bodies[-1])
    assert studio.job(job).status == "completed"
    assert len(studio.browsers.visits) == 12 - len(done)
    assert kept < set(studio.asset_ids())
    assert len(studio.asset_ids()) == 12
    assert len(studio.events()) == 1
    studio.assert_whole()


def test_page__that_ends_the_browser_each_time__costs_its_own_picture_only(studio: Studio) -> None:
    def killed() -> None:
        raise KilledError

    studio.browsers.pages[URLS[2]] = ScriptedPage(happens=killed)
    job = studio.order(order(5))
    for _ in range(2):
        with pytest.raises(KilledError):
            studio.photographer().carry_out(studio.queue.bodies[0])
        studio.api.clock.advance(minutes=2)
    studio.photographer().carry_out(studio.queue.bodies[0])
    assert studio.job(job).status == "completed"
    assert [(each.place, each.error) for each in studio.film(job).outcomes if each.error] == [(2, LOST)]


def test_cancellation__in_the_middle__is_seen_at_the_next_shot(studio: Studio) -> None:
    job = studio.order(order(6, viewports=WINDOWS))
    caller = caller_of(studio.tenant)
    studio.browsers.pages[URLS[3]] = ScriptedPage(happens=lambda: studio.jobs.cancel(caller, job.id))
    studio.photographer().carry_out(studio.queue.bodies[0])
    done, film = studio.job(job), studio.film(job)
    assert done.status == "cancelled"
    assert 1 <= len(film.outcomes) <= 8
    assert len(studio.browsers.visits) < 12
    assert sorted(studio.asset_ids()) == [each.asset_id for each in film.outcomes]
    assert studio.events() == []
    studio.assert_whole()


def test_quota__that_is_full__is_the_error_of_each_shot__without_a_visit(studio: Studio) -> None:
    catalog, now = studio.api.world.catalog, studio.api.world.now()
    catalog.commit(Commit(puts=[quota_put(catalog, studio.shop_id, assets=MAX_ASSETS - 2, size=0, now=now)]))
    job = studio.order(order(6, viewports=WINDOWS))
    studio.photographer().carry_out(studio.queue.bodies[0])
    film = studio.film(job)
    errors = [each.error for each in film.outcomes if each.error]
    assert errors == ["a shop has 10,000 assets at most; delete one first"] * 10
    assert (studio.job(job).status, len(studio.asset_ids())) == ("completed", 2)
    # Two pages may be open while the pictures of two others are stored.
    assert len(studio.browsers.visits) <= 6


def test_attempt__without_more_time__hands_the_job_over(studio: Studio) -> None:
    seconds = ALLOTTED.total_seconds()
    studio.browsers.pages[URLS[1]] = ScriptedPage(happens=lambda: studio.api.clock.advance(seconds=seconds))
    job = studio.order(order(6))
    studio.photographer().carry_out(studio.queue.bodies[0])
    handed, shown = studio.job(job), len(studio.film(job).outcomes)
    assert handed.status == "queued"
    assert 1 <= shown < 6
    assert len(studio.queue.bodies) == 2
    studio.photographer().carry_out(studio.queue.bodies[1])
    assert studio.job(job).status == "completed"
    assert len(studio.browsers.visits) == 6
    assert len(studio.asset_ids()) == 6


def test_pictures__of_variations__show_each_by_its_snippet(studio: Studio) -> None:
    experiment_id, (control, red) = experiment_of(studio)
    chosen = order(1, experiment_id=experiment_id, variation_ids=(None, control, red))
    studio.order(chosen)
    studio.photographer().carry_out(studio.queue.bodies[0])
    snippets = {each.snippet for each in studio.browsers.visits}
    assert {script_of(studio.shop_id, experiment_id, each) for each in (control, red)} < snippets
    assert len(snippets) == 3
    (nothing,) = (each for each in snippets if each is not None and each.startswith("/*"))
    pixels = []
    for item in studio.events()[0]["results"]["screenshots"]:
        key = item["public_url"].removeprefix(f"{ORIGIN}/")
        pixels.append(decoded(studio.content(key)).getpixel((0, 0)))
    scripts = [nothing, *(script_of(studio.shop_id, experiment_id, each) for each in (control, red))]
    assert pixels == [color_of(script) for script in scripts]


def test_page__without_the_snippet__gets_it_injected__after_one_visit_that_learns_it(studio: Studio) -> None:
    experiment_id, variations = experiment_of(studio)
    studio.browsers.pages[URLS[0]] = ScriptedPage(has_snippet=False)
    windows = (SMALL, replace(SMALL, width=400), replace(SMALL, width=500))
    studio.order(order(1, viewports=windows, experiment_id=experiment_id, variation_ids=(variations[1],)))
    studio.photographer().carry_out(studio.queue.bodies[0])
    injected = [each for each in studio.browsers.visits if each.init_script]
    assert len(injected) == 3
    assert all(script_of(studio.shop_id, experiment_id, variations[1]) in (each.init_script or "") for each in injected)
    assert len(studio.browsers.visits) <= 5


def test_experiment__that_was_deleted__fails_the_job(studio: Studio) -> None:
    experiment_id, variations = experiment_of(studio)
    job = studio.order(order(1, experiment_id=experiment_id, variation_ids=tuple(variations)))
    catalog = studio.api.world.catalog
    record = catalog.get(studio.shop_id, "EXP", experiment_id)
    assert record is not None
    catalog.commit(Commit(removes=[Remove(head=record.head)]))
    studio.photographer().carry_out(studio.queue.bodies[0])
    assert (studio.job(job).status, studio.job(job).error) == ("failed", "the experiment was deleted")


def test_pictures__of_a_job__go_with_it__and_their_files(studio: Studio) -> None:
    job = studio.order(order(3))
    studio.photographer().carry_out(studio.queue.bodies[0])
    ids = studio.asset_ids()
    Assets(studio.api.world, ORIGIN).delete(caller_of(studio.tenant), ids[0], expected_version=None)
    studio.api.clock.advance(days=29)
    studio.sweep()
    assert (studio.job(job).status, studio.asset_ids()) == ("completed", ids[1:])
    studio.api.clock.advance(seconds=DUE.total_seconds())
    for _ in range(3):
        studio.sweep()
        studio.assert_whole()
    assert studio.asset_ids() == []
    assert list(studio.api.management.files.keys("a/")) == []
    assert not studio.api.world.catalog.due("TRASH", "9999", limit=9)
    assert not studio.api.world.catalog.due("JOB", "9999", limit=9)


def test_latest_pictures__of_an_experiment__stay_after_their_job(studio: Studio) -> None:
    experiment_id, variations = experiment_of(studio)
    for _ in range(2):
        studio.order(order(2, experiment_id=experiment_id, variation_ids=tuple(variations)))
        studio.photographer().carry_out(studio.queue.bodies[-1])
        studio.api.clock.advance(hours=1)
    latest = read_latest(studio.api.world.catalog, studio.shop_id, experiment_id)
    assert latest is not None
    assert (latest.version, {each.variation_id for each in latest.pictures}) == (2, set(variations))
    shown = {each.asset_id for each in latest.pictures}
    assert len(shown) == 2 < len(studio.asset_ids()) == 8
    studio.api.clock.advance(seconds=DUE.total_seconds())
    for _ in range(3):
        studio.sweep()
    assert set(studio.asset_ids()) == shown
    assets = Assets(studio.api.world, ORIGIN)
    assert [asset.made_by for asset in assets.get_many(studio.shop_id, sorted(shown))] == [None, None]
    studio.assert_whole()
    assets.delete(caller_of(studio.tenant), min(shown), expected_version=None)
    studio.api.clock.advance(days=31)
    studio.sweep()
    assert len(list(studio.api.management.files.keys("a/"))) == 1
