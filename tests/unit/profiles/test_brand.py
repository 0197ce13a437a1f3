"""Colours, fonts and tone of a store: counted, with the shares that a person would count."""

from __future__ import annotations

import time

import pytest

from abtest.domain.profiles.learning import learned
from abtest.domain.profiles.styles import look_of
from abtest.domain.profiles.tone import tone_of
from tests.support.stores import answer, page, saved, visit
from tools.local.store.server import PAGES


@pytest.mark.parametrize(
    ("value", "colour"),
    [
        ("#B23A1E", "#b23a1e"),
        ("#abc", "#aabbcc"),
        ("#aabbccff", "#aabbcc"),
        ("rgb(178, 58, 30)", "#b23a1e"),
        ("rgb(178 58 30 / 50%)", "#b23a1e"),
        ("rgba(178,58,30,.5)", "#b23a1e"),
        ("hsl(0 100% 50%)", "#ff0000"),
        ("rgb(100% 0% 0%)", "#ff0000"),
    ],
)
def test_colour__in_each_notation__is_the_same(value: str, colour: str) -> None:
    assert [each.value for each in look_of([f"a {{ color: {value} }}"]).colours] == [colour]


@pytest.mark.parametrize(
    "value", ["transparent", "#12", "#aabbcc00", "rgba(1,2,3,0)", "rgb(1,2)", "rgb(900,1,1)", "url(#abc123x)"]
)
def test_value__without_a_visible_colour__is_none(value: str) -> None:
    assert look_of([f"a {{ color: {value} }}"]).colours == ()


def test_colours__have_their_share_roles_and_names() -> None:
    look = look_of(
        [
            ":root { --brand: #b23a1e; --color-background: 255,255,255 }\n/* color: #000 */ .a { color: var(--brand) }",
            ".b{background:#fff}",
        ]
    )
    brand, white = look.colours
    assert (brand.value, brand.share, brand.roles, brand.properties) == (
        "#b23a1e",
        0.5,
        ("accent", "text"),
        ("--brand",),
    )
    assert (white.value, white.roles) == ("#ffffff", ("background",))


def test_fonts__are_families_that_draw_letters() -> None:
    look = look_of(
        [
            ":root{--f:'Fraunces', serif} h1{font-family:var(--f)} p{font:400 1rem/1.5 Inter, sans-serif}",
            " i{font-family:FontAwesome} b{font-family:system-ui,sans-serif} u{font-family:inherit}",
        ]
    )
    assert [each.family for each in look.fonts] == ["Fraunces", "Inter"]


@pytest.mark.parametrize(
    "family",
    [
        "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto",
        "SFMono-Regular, Menlo, monospace",
        "'Font Awesome 5 Free'",
        "0/0 a",
    ],
)
def test_font__of_the_system_or_of_icons__is_not_the_stores(family: str) -> None:
    name = "font" if "/" in family else "font-family"
    assert look_of([f"a {{ {name}: {family} }}"]).fonts == ()


def test_roles__are_those_of_the_page__however_often_others_are_used() -> None:
    sheet = (PAGES / "shop.css").read_text()
    assert {(each.role, each.value) for each in look_of([sheet]).roles} == {
        ("background", "#faf8f5"),
        ("text", "#23262b"),
        ("accent", "#1f5d57"),
    }


@pytest.mark.parametrize(
    ("sheet", "roles"),
    [
        ("a{color:#fff} .btn{color:#fff}", {}),
        ("body{background:linear-gradient(#fff,#000)}", {}),
        ("body{color:var(--a)} :root{--a:var(--b);--b:#112233}", {"text": "#112233"}),
        ("body{color:var(--none, #112233)}", {"text": "#112233"}),
        ("body{color:#111111} @media print{body{color:#000}}", {"text": "#111111"}),
        (
            ":root{--a:#111} @media (prefers-color-scheme:dark){:root{--a:#eee}} body{color:var(--a)}",
            {"text": "#111111"},
        ),
        (".dark{--a:#eeeeee} body{color:var(--a)} :root{--a:#111111} .night{--a:#dddddd}", {"text": "#111111"}),
        ("@layer base{body{background:white}}", {"background": "#ffffff"}),
        (":root{--accent:#777777;--color-primary:#b23a1e;--primary-foreground:#00ff00}", {"accent": "#b23a1e"}),
        (":root{--accent:178,58,30}", {"accent": "#b23a1e"}),
        (".btn{background:#333} .btn-primary{background:#b23a1e} .x .btn{background:#00f}", {"accent": "#b23a1e"}),
        ("body{color:#11", {}),
        ("}}} body{color:#112233}", {"text": "#112233"}),
    ],
)
def test_role__of_a_colour__needs_a_declaration(sheet: str, roles: dict[str, str]) -> None:
    assert {each.role: each.value for each in look_of([sheet]).roles} == roles


@pytest.mark.parametrize(
    "text",
    [
        "/*" * 700_000,
        "a:" * 700_000,
        "--a:var(--a);" * 70_000,
        "{" * 1_400_000,
        "{}" * 700_000,
        "{:}" * 500_000,
        "a{b:c}" * 200_000,
        "}" * 1_400_000,
        "@media{" * 200_000,
        "body{color:var(--a)}:root{--a:var(--b)}" * 30_000,
        ":root{" + "".join(f"--accent-{number}-brand:#777;" for number in range(40_000)),
        "#" * 1_400_000,
        "rgb(" * 300_000,
    ],
)
def test_styles__that_are_hostile__take_no_time(text: str) -> None:
    started = time.process_time()
    look_of([text, text])
    assert time.process_time() - started < 10


def test_tone__counts_headlines_once_for_the_store() -> None:
    text = "You will like your lamp. " * 12 + "Buy now! "
    pages = [
        page(f"<h1>Light for you</h1><h2>Two words</h2><p>{text}</p><button>Add to cart</button>") for _ in range(2)
    ]
    tone = tone_of(pages, "en")
    assert (tone.headlines, tone.words_per_headline) == (2, 2.5)
    assert tone.exclamation_share == round(1 / 13, 3)
    assert tone.second_person_share == pytest.approx(2 * (24 + 1) / (2 * 69), abs=0.01)
    assert tone.calls_to_action == ("Add to cart",)


def test_tone__in_a_language_without_words__leaves_their_share_out() -> None:
    tone = tone_of([page("<p>" + "Sana ja toinen. " * 30)], "fi")
    assert tone.second_person_share is None
    assert tone.exclamation_share == 0


def test_tone__of_pages_without_text__has_no_rates() -> None:
    tone = tone_of([page("")], "en")
    assert (tone.headlines, tone.words_per_headline, tone.exclamation_share) == (0, None, None)


@pytest.mark.parametrize(
    ("titles", "name"),
    [
        (("Lamps | Paper and Ink -", "Cart | Paper and Ink -"), "Paper and Ink"),
        (("Paper and Ink – Lamps", "Paper and Ink – Cart"), "Paper and Ink"),
        (("Paper and Ink",), None),
        (("Lamps", "Cart"), None),
        (("Lamps | Official site", "Cart | Official site"), None),
        (("Lamps | Paper and Ink", "Cart | Somewhere else"), None),
    ],
)
def test_name__in_titles__is_the_part_that_also_links_home(titles: tuple[str, ...], name: str | None) -> None:
    pages = [
        answer(f"<title>{title}</title><a href=/>Paper and Ink</a>", f"https://store.example/{number or ''}")
        for number, title in enumerate(titles)
    ]
    result = learned(visit(*pages))
    assert result.brand.name == name
    clues = [clue for each in result.statements if each.key == "brand_name" for clue in each.clues]
    assert [clue.excerpt for clue in clues] == ([f"title: {title}" for title in titles] if name else [])


def test_name__that_a_page_declares__comes_before_its_titles() -> None:
    pages = [
        answer(
            f'<meta property="og:site_name" content="Ink Ltd"><title>{n} | Ink</title><a href=/>Ink</a>',
            f"https://store.example/{n}",
        )
        for n in range(2)
    ]
    assert learned(visit(*pages)).brand.name == "Ink Ltd"


def test_brand__of_a_saved_page() -> None:
    result = learned(visit(saved("shopify")))
    facts = {(each.key, each.value): each.confidence for each in result.statements}
    assert facts[("brand_name", "Lamps & Light")] == 0.9
    assert ("logo", "https://lamps.example/cdn/shop/files/logo.png") in facts
    assert ("accent_colour", "#b23a1e") in facts
    assert ("font", "Assistant") in facts
    assert ("call_to_action", "Shop all") in facts
    assert ("language", "en") in facts
    assert result.brand.name == "Lamps & Light"
