"""The example of docs/landing-pages.md is accepted and rendered; its tables name what the grammar has."""

from __future__ import annotations

import json
import re
from pathlib import Path

from abtest.contract.page_blocks import BLOCK_MODELS
from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import render
from abtest.domain.pages.rules import MAX_BYTES, refuse_conflicts, refuse_unfit_assets
from abtest.domain.pages.spec import Theme
from tests.support.landing import LIBRARY, SEO, SITE

GUIDE = (Path(__file__).parents[3] / "docs" / "landing-pages.md").read_text()
SHARED = {"type", "id", "tone", "hide_on"}


def test_example__is_accepted_and_rendered() -> None:
    document = json.loads(re.findall("```json\n(.*?)```", GUIDE, re.DOTALL)[0])
    spec = spec_of(document)
    refuse_conflicts(spec)
    refuse_unfit_assets(spec, SEO, LIBRARY)
    html = render(spec, assets=LIBRARY, seo=SEO, site=SITE).html.decode()
    assert "<h1>Light that follows your day</h1>" in html
    assert '<a href="/returns">returns</a>' in html


def test_table_of_blocks__names_each_field_and_marks_the_required_ones() -> None:
    rows = dict(re.findall(r"^\| (`[a-z`, ]+`) \| (.+) \|$", _section("Blocks"), re.MULTILINE))
    documented = {kind: fields for kinds, fields in rows.items() for kind in re.findall("[a-z]+", kinds)}
    assert set(documented) == set(BLOCK_MODELS)
    for kind, model in BLOCK_MODELS.items():
        outer = re.sub(r"`\{.*?\}`|\(.*?\)|\bof\b|:.*", "", documented[kind])
        fields = {field.alias or name: field.is_required() for name, field in model.model_fields.items()}
        written = {name: bool(star) for name, star in re.findall(r"([a-z_]+)(\*?)", outer)}
        assert written == {name: needed for name, needed in fields.items() if name not in SHARED}, kind


def _section(title: str) -> str:
    """The text under a heading of the third level, as far as the next heading."""
    return re.split(r"^#+ ", GUIDE.partition(f"### {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def test_limits_and_defaults__are_those_of_the_code() -> None:
    theme = Theme()
    assert f"{MAX_BYTES // 1024} KB" in GUIDE
    assert f"| `{theme.primary}`, `{theme.background}`, `{theme.text}`, `{theme.muted}` |" in GUIDE
    assert f"0 to 24 pixels | {theme.radius} |" in GUIDE
    assert f"720 to 1440 pixels | {theme.width} |" in GUIDE
