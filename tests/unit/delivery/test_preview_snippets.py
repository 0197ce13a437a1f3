"""Preview snippets: one variation of any experiment, for all visitors and pages, without events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.delivery.chunks import INLINE_BYTES
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Commit
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.publication.preview_snippets import NOWHERE, PreviewSnippets
from tests.support.storefronts import SHOP_ID, Storefront, experiment, goal, variation

STYLE = ".banner{color:red}"
LONG = f"window.shown = {'1' * INLINE_BYTES};"


def snippets(*variations: Any, **fields: Any) -> PreviewSnippets:
    """Snippets of a shop with one experiment."""
    storefront = Storefront()
    stored = replace(experiment(status="draft", started_at=None), variations=variations, **fields)
    storefront.catalog.commit(Commit(puts=[EXPERIMENTS.put(stored)]))
    return PreviewSnippets(
        catalog=storefront.catalog,
        checker=QuickJsChecker(),
        bundle=lambda _: storefront.bundle,
        worker_base_url="https://edge.example",
    )


def test_snippet__of_a_draft__shows_the_variation_to_everyone() -> None:
    arms = variation(0), variation(1, custom_css=STYLE, weight=0.01)
    targeting: Any = {
        "pageRules": [{"id": "x", "includeRules": [{"type": "simple", "pattern": "/x"}], "excludeRules": []}]
    }
    made = snippets(*arms, traffic_allocation=0.1, targeting=targeting, goals=(goal(),))
    shown = made.of(SHOP_ID, arms[1].experiment_id, arms[1].id)
    assert STYLE in shown.text
    assert arms[1].id in shown.text
    assert arms[0].id not in shown.text
    assert "range:[0,10000]" in shown.text
    assert "/x" not in shown.text
    assert "#buy" not in shown.text
    assert NOWHERE in shown.text
    assert "https://edge.example/events" not in shown.text
    assert shown.files == {}


def test_snippet__of_large_code__has_it_in_a_file() -> None:
    arms = variation(0), variation(1, custom_js=LONG)
    shown = snippets(*arms).of(SHOP_ID, arms[1].experiment_id, arms[1].id)
    ((name, file),) = shown.files.items()
    assert LONG not in shown.text
    assert LONG.encode() in file.content
    assert name.removesuffix(".js") in shown.text
    assert f"https://edge.example/s/{SHOP_ID}/" in shown.text
    assert file.content_type.startswith("application/javascript")


def test_snippet__with_a_broken_script__lacks_it() -> None:
    arms = variation(0), variation(1, custom_css=STYLE, custom_js="if (")
    shown = snippets(*arms).of(SHOP_ID, arms[1].experiment_id, arms[1].id)
    assert STYLE in shown.text
    assert "if (" not in shown.text


def test_variation__that_is_archived__can_be_shown() -> None:
    arms = variation(0), variation(1, custom_css=STYLE, archived_at="2026-01-01T00:00:00.000Z")
    assert STYLE in snippets(*arms).of(SHOP_ID, arms[1].experiment_id, arms[1].id).text


@pytest.mark.parametrize("missing", ["experiment", "variation", "shop"])
def test_snippet__of_what_the_shop_lacks__is_not_found(missing: str) -> None:
    arms = variation(0), variation(1)
    names = {"shop": SHOP_ID, "experiment": arms[1].experiment_id, "variation": arms[1].id, missing: "unknown"}
    with pytest.raises(NotFoundError):
        snippets(*arms).of(names["shop"], names["experiment"], names["variation"])
