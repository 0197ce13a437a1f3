"""A landing page as one HTML document with its Content-Security-Policy: the same bytes for the same arguments."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.assets.facts import AssetFacts
from abtest.domain.pages import blocks
from abtest.domain.pages.head import head
from abtest.domain.pages.policy import in_meta, policy
from abtest.domain.pages.rules import asset_uses
from abtest.domain.pages.sections import Setting, anchor, prose
from abtest.domain.pages.site import Site
from abtest.domain.pages.spec import Footer, Image, PageSpec, Section, Seo
from abtest.domain.pages.stylesheet import stylesheet
from abtest.domain.pages.walk import parts
from abtest.domain.pages.words import language
from abtest.kit.markup import Html, el

RENDERER_VERSION = 1
"""Rises with each change of the HTML that a spec gives. Pages that are published keep their stored bytes."""

CONTENT = "page_content"
"""Id of the main part. Ids of blocks have no underscore."""

_ELEMENT = re.compile(rb"<[a-z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPage:
    """Document, the policy that its response must have, and what the gates measure."""

    html: bytes
    policy: str
    assets: tuple[str, ...]
    nodes: int
    renderer_version: int = RENDERER_VERSION


def render(
    spec: PageSpec,
    *,
    assets: Mapping[str, AssetFacts],
    seo: Seo,
    site: Site,
    mark: str | None = None,
    is_file: bool = False,
) -> RenderedPage:
    """Return the page. Its assets are known and fit (`rules.refuse_unfit_assets`).

    `mark` is `<experiment>:<variation>` of a variant, which the SDK takes as the decision. A file needs no response: it
    has its policy as a meta element, and is shown while the snippet is still on its way.
    """
    setting = Setting(spec, assets, language(spec.lang), _titled(spec), _lead(spec))
    style = stylesheet(spec, assets)
    rules = policy(spec, site, style)
    document = el(
        "html",
        el("head", head(setting, seo, site, style, mark, in_meta(rules) if is_file else None)),
        el("body", _body(setting, seo, site)),
        lang=spec.lang,
        dir=setting.language.direction,
    )
    html = f"<!doctype html>\n{document}\n".encode()
    return RenderedPage(
        html=html,
        policy=rules,
        assets=tuple(dict.fromkeys(asset_id for _, asset_id, _ in asset_uses(spec, seo))),
        nodes=len(_ELEMENT.findall(html)),
    )


def _body(setting: Setting, seo: Seo, site: Site) -> list[Html | None]:
    words = setting.language
    title = el("h1", seo.title, class_="unseen") if setting.title is None else None
    content = [blocks.rendered(block, setting) for block in setting.spec.blocks]
    return [
        el("a", words.words.skip, class_="skip", href=f"#{CONTENT}", lang=words.lang),
        el("main", title, content, id=CONTENT, tabindex="-1"),
        _footer(setting.spec.footer, site) if setting.spec.footer else None,
    ]


def _footer(footer: Footer, site: Site) -> Html:
    links = [el("li", anchor(link)) for link in footer.links]
    words = el("div", el("p", site.shop_name, class_="name"), prose(footer.body, "soft"))
    inner = el("div", words, el("ul", links, role="list") if links else None, class_="wrap")
    return el("footer", inner, class_=footer.tone)


def _titled(spec: PageSpec) -> Section | None:
    """Return the first block with a heading that every visitor sees: its heading is the page's h1."""
    shown = (block for block in spec.blocks if block.hide_on is None)
    return next((block for block in shown if getattr(block, "heading", None) or getattr(block, "name", None)), None)


def _lead(spec: PageSpec) -> Image | None:
    """Return the first image that every visitor sees. It is loaded at once, each other one when it comes into view."""
    shown = (block for block in spec.blocks if block.hide_on is None)
    return next((part for block in shown for _, part in parts(block) if isinstance(part, Image)), None)
