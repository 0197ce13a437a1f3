"""Pictures that the report of an experiment shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.domain.browsing.viewport import DESKTOP, PHONE
from abtest.domain.experiments.model import Experiment
from abtest.domain.screenshots.order import ScreenshotOrder
from abtest.ports.catalog import Commit
from abtest.services.assets.assets import Assets
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.results.pictures import pictures_of
from tests.support.assets import ORIGIN, caller_of
from tests.support.media import decoded
from tests.support.screenshots import Studio
from tests.unit.experiments.examples import CONTROL, NOW, TREATMENT, experiment

URL = "https://shop.example/lamps"


@pytest.fixture
def shown(studio: Studio) -> Experiment:
    """An experiment that was pictured on a phone and a desktop."""
    stored = replace(experiment(), shop_id=studio.shop_id, version=1)
    studio.api.world.catalog.commit(Commit(puts=[EXPERIMENTS.put(stored)]))
    order = ScreenshotOrder(
        urls=(URL,), viewports=(DESKTOP, PHONE), experiment_id=stored.id, variation_ids=(TREATMENT, CONTROL, None)
    )
    studio.order(order)
    studio.photographer().carry_out(studio.queue.bodies[0])
    return stored


def test_pictures__of_a_report__are_by_window_in_the_order_of_variations(studio: Studio, shown: Experiment) -> None:
    pictures = pictures_of(studio.api.world.catalog, shown, ORIGIN)
    assert [(each.viewport.width, each.variation_id) for each in pictures] == [
        (width, variation) for width in (390, 1280) for variation in (None, CONTROL, TREATMENT)
    ]
    for picture in pictures:
        assert picture.page_url == URL
        content = studio.content(picture.url.removeprefix(f"{ORIGIN}/"))
        assert decoded(content).size == (picture.width, picture.height)
    assert {each.width for each in pictures} == {480, 960}


def test_pictures__that_were_deleted_or_whose_variation_was_archived__are_missing(
    studio: Studio, shown: Experiment
) -> None:
    catalog = studio.api.world.catalog
    first = pictures_of(catalog, shown, ORIGIN)[0]
    asset_id = first.url.split("/")[4]
    Assets(studio.api.world, ORIGIN).delete(caller_of(studio.tenant), asset_id, expected_version=None)
    control, treatment = shown.variations
    left = replace(shown, variations=(control, replace(treatment, archived_at=NOW)))
    assert [(each.viewport.width, each.variation_id) for each in pictures_of(catalog, left, ORIGIN)] == [
        (390, CONTROL),
        (1280, None),
        (1280, CONTROL),
    ]


def test_experiment__without_a_job__has_no_pictures(studio: Studio) -> None:
    assert pictures_of(studio.api.world.catalog, replace(experiment(), shop_id=studio.shop_id), ORIGIN) == []
