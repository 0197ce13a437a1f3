"""Orders of screenshots: their plan, their limit, ids of assets, outcomes, and the page that an experiment names."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from abtest.domain.browsing.viewport import DESKTOP, PHONE, Viewport
from abtest.domain.screenshots.addresses import concrete_address
from abtest.domain.screenshots.latest import LatestPictures, shown_after
from abtest.domain.screenshots.order import (
    ScreenshotOrder,
    asset_id_of,
    order_document,
    order_from,
    planned,
    refuse_too_many,
)
from abtest.domain.screenshots.outcomes import Film, Outcome, film_document, film_from, missed
from abtest.kit.errors import ValidationFailedError
from abtest.kit.ids import SystemRandomness, uuid7, uuid7_milliseconds

URLS = ("https://shop.example/", "https://shop.example/sale")
JOB_ID = uuid7(datetime(2026, 3, 2, 9, 0, 0, 999_990, tzinfo=UTC), SystemRandomness())
NOW = "2026-03-02T09:00:00.000Z"
ORDER = ScreenshotOrder(urls=URLS, experiment_id="e", variation_ids=(None, "a", "b"))


def test_plan__has_every_combination__variations_of_one_window_next_to_each_other() -> None:
    shots = planned(ORDER)
    assert [shot.place for shot in shots] == list(range(12))
    assert [(shot.url, shot.viewport, shot.variation_id) for shot in shots[:4]] == [
        (URLS[0], PHONE, None),
        (URLS[0], PHONE, "a"),
        (URLS[0], PHONE, "b"),
        (URLS[0], DESKTOP, None),
    ]
    assert len({(shot.url, shot.viewport, shot.variation_id) for shot in shots}) == 12


def test_order__is_stored_and_read() -> None:
    assert order_from(order_document(ORDER)) == ORDER


@pytest.mark.parametrize(("urls", "is_refused"), [(20, False), (21, True)])
def test_order__of_more_than_sixty_shots__is_refused_at_its_field(urls: int, is_refused: bool) -> None:
    order = replace(ORDER, urls=tuple(map(str, range(urls))), viewports=(PHONE,))
    if not is_refused:
        refuse_too_many(order)
        return
    with pytest.raises(ValidationFailedError, match="21 addresses in 3 variations and 1 viewports are 63") as caught:
        refuse_too_many(order, "screenshot_urls")
    assert [field.path for field in caught.value.fields] == ["screenshot_urls"]


def test_assets__of_a_job__have_the_same_ids_again_and_sort_by_place() -> None:
    ids = [asset_id_of(JOB_ID, place) for place in range(60)]
    assert ids == [asset_id_of(JOB_ID, place) for place in range(60)]
    assert sorted(ids) == ids
    assert len(set(ids)) == 60
    assert all(0 <= uuid7_milliseconds(each) - uuid7_milliseconds(JOB_ID) <= 1 for each in ids)
    other = uuid7(datetime(2026, 3, 2, 9, 0, 0, 999_990, tzinfo=UTC), SystemRandomness())
    assert not set(ids) & {asset_id_of(other, place) for place in range(60)}


def test_film__keeps_the_first_outcome_of_a_shot__in_the_order_of_places() -> None:
    shots = planned(ORDER)
    film = Film(at=3)
    for outcome in (Outcome(place=3, asset_id="x"), missed(shots[1], "no"), Outcome(place=3, asset_id="y")):
        film = film.with_outcome(outcome)
    assert [(each.place, each.asset_id, each.error) for each in film.outcomes] == [(1, None, "no"), (3, "x", None)]
    assert (film.at, film.has_picture, film.first_error, film.progress(shots)) == (None, True, "no", 16)
    assert [shot.place for shot in film.missing(shots)] == [0, 2, *range(4, 12)]
    assert film_from(film_document(film)) == film
    assert film_from({}) == Film()


def test_reason__that_is_long__is_cut() -> None:
    assert len(missed(planned(ORDER)[0], "x" * 999).error or "") == 300


def film_of(order: ScreenshotOrder, *failed: int) -> Film:
    """A film with a picture of each shot but the failed ones."""
    film = Film()
    for shot in planned(order):
        taken = Outcome(place=shot.place, asset_id=f"{shot.url} {shot.variation_id} {shot.viewport.width}")
        film = film.with_outcome(missed(shot, "no") if shot.place in failed else taken)
    return film


def test_latest__after_jobs__has_the_newest_pictures_of_each_variation() -> None:
    none_yet = LatestPictures(id="e", shop_id="s", created_at=NOW, updated_at=NOW)
    first = shown_after(none_yet, ORDER, film_of(ORDER), NOW)
    assert {(each.variation_id, each.viewport.width) for each in first.pictures} == {
        (variation, width) for variation in (None, "a", "b") for width in (390, 1280)
    }
    assert {each.url for each in first.pictures} == {URLS[0]}
    later = replace(ORDER, urls=URLS[1:], variation_ids=("a", "b"), viewports=(PHONE,))
    # The picture of `a` failed, so the earlier ones are its latest.
    second = shown_after(first, later, film_of(later, 0), "2026-03-03T09:00:00.000Z")
    assert second.version == 2
    assert [(each.variation_id, each.viewport.width, each.url) for each in second.pictures] == [
        (None, 390, URLS[0]),
        ("a", 390, URLS[0]),
        (None, 1280, URLS[0]),
        ("a", 1280, URLS[0]),
        ("b", 390, URLS[1]),
    ]


def test_latest__of_many_windows__has_two() -> None:
    order = replace(ORDER, viewports=(PHONE, DESKTOP, Viewport(800, 600)))
    none_yet = LatestPictures(id="e", shop_id="s", created_at=NOW, updated_at=NOW)
    assert {each.viewport for each in shown_after(none_yet, order, film_of(order), NOW).pictures} == {PHONE, DESKTOP}


@pytest.mark.parametrize(
    ("patterns", "address"),
    [
        (["https://shop.example/sale#top"], "https://shop.example/sale"),
        (["*/sale", "shop.example/sale?a=1"], "https://shop.example/sale?a=1"),
        (["/sale"], "https://own.example/sale"),
        (["https://*.example/", "https://", "ftp://shop.example/"], None),
        ([], None),
    ],
)
def test_address__of_an_experiment__is_the_first_without_a_wildcard(patterns: list[str], address: str | None) -> None:
    rules: list[Any] = [{"type": "simple", "pattern": pattern} for pattern in patterns]
    targeting: Any = {"pageRules": [{"includeRules": rules, "excludeRules": []}]}
    assert concrete_address(targeting, "https://own.example") == address


def test_address__of_a_path_in_a_shop_with_an_origin__is_there() -> None:
    targeting: Any = {"pageRules": [{"includeRules": [{"type": "simple", "pattern": "/"}], "excludeRules": []}]}
    assert concrete_address(targeting, "http://127.0.0.1:8402") == "http://127.0.0.1:8402/"


def test_address__of_rules_that_do_not_include__is_not_taken() -> None:
    included: Any = {"type": "simple", "pattern": "/a"}
    targeting: Any = {
        "pageRules": [
            {"disabled": True, "includeRules": [included], "excludeRules": []},
            {"include": False, "includeRules": [included], "excludeRules": []},
            {"includeRules": [{"type": "regex", "pattern": "/a"}, included | {"include": False}], "excludeRules": []},
            {"pageId": "unknown"},
        ]
    }
    assert concrete_address(targeting, "https://own.example") is None
    assert concrete_address(None, "https://own.example") is None
