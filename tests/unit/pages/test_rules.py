"""Rules that several fields fulfil together: colours, ids, anchors, tables, forms, assets, size."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.colours import contrast, palette
from abtest.domain.pages.rules import (
    MAX_BYTES,
    DocumentTooLargeError,
    contrast_problems,
    link_uses,
    refuse_conflicts,
    refuse_foreign_forms,
    refuse_large,
    refuse_unfit_assets,
)
from abtest.domain.pages.spec import Seo, Theme, Tone
from abtest.kit.errors import ValidationFailedError
from tests.support.landing import BLOCKS, FONT, LIBRARY, PHOTO, SEO, TONES, VIDEO, asset_id, block, page


def colours_between(least: int, most: int) -> st.SearchStrategy[str]:
    """Return colours whose channels are in a range."""
    channel = st.integers(least, most)
    return st.tuples(channel, channel, channel).map(lambda each: "#{:02x}{:02x}{:02x}".format(*each))


DARK, LIGHT = colours_between(0, 110), colours_between(190, 255)
THEMES = st.builds(Theme, primary=DARK, background=LIGHT, text=DARK, muted=LIGHT) | st.builds(
    Theme, primary=LIGHT, background=DARK, text=LIGHT, muted=DARK
)


def conflicts(*blocks: dict[str, Any], **more: Any) -> dict[str, str]:
    """Return the fields that are refused, with their messages."""
    with pytest.raises(ValidationFailedError) as caught:
        refuse_conflicts(spec_of(page() | {"blocks": list(blocks)} | more))
    assert caught.value.status == 422
    return {field.path: field.message for field in caught.value.fields}


@pytest.mark.parametrize("tone", TONES)
def test_spec__with_every_block__is_accepted(tone: str) -> None:
    refuse_conflicts(spec_of(page(tone=tone)))
    refuse_unfit_assets(spec_of(page(tone=tone)), SEO, LIBRARY)


def test_ids__twice_in_a_page__are_refused() -> None:
    reported = conflicts(block("stats"), block("text"), block("stats"))
    assert reported == {"spec.blocks[2].id": "must differ from the id of blocks[0]"}


def test_anchor__without_its_block__is_refused_in_links_markdown_and_footer() -> None:
    link = {"label": "More", "href": "#nowhere"}
    reported = conflicts(
        block("hero", links=[link]),
        block("text", body="See [there](#gone)."),
        footer={"links": [{"label": "Up", "href": "#hero"}, link]},
    )
    assert set(reported) == {"spec.blocks[0].links[0].href", "spec.blocks[1].body", "spec.footer.links[1].href"}
    assert set(reported.values()) == {"must lead to the id of a block of this page"}


def test_row__with_another_number_of_cells_than_columns__is_refused() -> None:
    rows = [{"label": "a", "cells": [True, False]}, {"label": "b", "cells": [True, False, "c"]}]
    reported = conflicts(block("comparison", columns=["One", "Two"], rows=rows))
    assert reported == {"spec.blocks[0].rows[1].cells": "must have 2 items, one per column"}


def test_form__whose_fields_conflict__is_refused() -> None:
    fields = [
        {"name": "a", "label": "A"},
        {"name": "a", "label": "B"},
        {"name": "c", "label": "C", "type": "select"},
        {"name": "d", "label": "D", "options": ["x"]},
    ]
    assert conflicts(block("form", fields=fields)) == {
        "spec.blocks[0].fields[0].name": "must differ from the names of the form's other fields",
        "spec.blocks[0].fields[1].name": "must differ from the names of the form's other fields",
        "spec.blocks[0].fields[2].options": "is required for a select",
        "spec.blocks[0].fields[3].options": "is allowed for a select only",
    }


@pytest.mark.parametrize(
    ("theme", "paths"),
    [
        ({"text": "#999999"}, {"spec.theme.text"}),
        ({"primary": "#ffd400"}, {"spec.theme.primary"}),
        ({"background": "#777777"}, {"spec.theme.text", "spec.theme.primary"}),
        ({"muted": "#14171c"}, {"spec.theme.text", "spec.theme.primary"}),
    ],
)
def test_theme__with_colours_that_cannot_be_read_on_each_other__is_refused(
    theme: dict[str, str], paths: set[str]
) -> None:
    reported = conflicts(block("stats"), theme=theme)
    assert set(reported) == paths
    assert all("must have a contrast of 4.5 or more" in message for message in reported.values())


def test_contrast__just_below_the_limit__is_not_rounded_up() -> None:
    # WCAG's own example: #777777 on white has 4.478, #767676 has 4.542.
    assert 4.47 < contrast("#777777", "#ffffff") < 4.48
    assert 4.54 < contrast("#767676", "#ffffff") < 4.55
    reported = conflicts(block("stats"), theme={"primary": "#777777", "muted": "#ffffff"})
    assert "#777777 on #ffffff (tone muted) has 4.47" in reported["spec.theme.primary"]


@given(THEMES, st.sampled_from(TONES))
def test_any_theme_that_is_accepted__is_legible_in_each_tone(theme: Theme, tone: Tone) -> None:
    assume(not list(contrast_problems(theme)))
    colours = palette(theme, tone)
    for surface in (colours.surface, colours.card):
        for text in (colours.text, colours.soft, colours.link, colours.error):
            assert contrast(text, surface) >= 4.5
        assert contrast(colours.edge, surface) >= 3
        assert contrast(colours.button, surface) >= 3
    for button in (colours.button, colours.pressed):
        assert contrast(colours.on_button, button) >= 4.5


def test_assets__that_are_foreign_or_of_another_type__are_refused() -> None:
    document = page("hero", "video") | {"theme": {"font": {"asset_id": VIDEO.id}}}
    document["blocks"][0]["image"] = {"asset_id": asset_id(99), "alt": "?"}
    document["blocks"][0]["links"] = []
    document["blocks"][1]["asset_id"] = PHOTO.id
    with pytest.raises(ValidationFailedError) as caught:
        refuse_unfit_assets(spec_of(document), Seo(title="a", og_image_asset_id=FONT.id), LIBRARY)
    assert {field.path: field.message for field in caught.value.fields} == {
        "spec.blocks[0].image.asset_id": "must be the id of an asset of this shop that is complete and not archived",
        "spec.blocks[1].asset_id": "must be an asset of type video, not image/jpeg",
        "spec.theme.font.asset_id": "must be an asset of type font/woff2, not video/mp4",
        "seo_manifest.og_image_asset_id": "must be an asset of type image, not font/woff2",
    }


def test_form__that_posts_to_a_host_of_another_shop__is_refused() -> None:
    spec = spec_of(page("form"))
    refuse_foreign_forms(spec, ["shop.example"])
    with pytest.raises(ValidationFailedError) as caught:
        refuse_foreign_forms(spec, ["other.example"])
    assert [field.path for field in caught.value.fields] == ["spec.blocks[0].action"]


@pytest.mark.parametrize(("port", "is_allowed"), [("", True), (":443", True), (":8443", False)])
def test_form__that_posts_to_a_port__is_refused_where_its_policy_would_block_it(port: str, is_allowed: bool) -> None:
    spec = spec_of(page(blocks=[block("form", action=f"https://shop.example{port}/x")]))
    if is_allowed:
        refuse_foreign_forms(spec, ["shop.example"])
        return
    with pytest.raises(ValidationFailedError, match="without a port"):
        refuse_foreign_forms(spec, ["shop.example"])


def test_links__of_a_page__are_listed_with_their_paths() -> None:
    uses = list(link_uses(spec_of(page("hero", "text"))))
    assert uses[0] == ("spec.blocks[0].links[0].href", "https://shop.example/cart/add?sku=lamp")
    assert ("spec.blocks[1].body", "mailto:hello@shop.example") in uses


def test_spec__of_more_than_256_kilobytes__is_too_large() -> None:
    small = {"body": ""}
    room = MAX_BYTES - len('{"body":""}')
    refuse_large(small | {"body": "a" * room})
    with pytest.raises(DocumentTooLargeError) as caught:
        refuse_large(small | {"body": "a" * (room + 1)})
    assert (caught.value.status, caught.value.code) == (413, "payload_too_large")


def test_blocks_of_the_tests__are_all_types() -> None:
    assert len(BLOCKS) == 13
