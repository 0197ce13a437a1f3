"""Texts of a page that visitors and search engines read."""

from collections.abc import Iterator, Mapping

from abtest.domain.pages import markdown, spec
from abtest.domain.pages.spec import Markdown, PageSpec, Seo
from abtest.domain.pages.walk import parts

READ: Mapping[type, tuple[str, ...]] = {
    spec.Hero: ("heading", "body"),
    spec.Text: ("heading", "body"),
    spec.Picture: ("caption",),
    spec.Video: ("title",),
    spec.Features: ("heading",),
    spec.Steps: ("heading",),
    spec.Item: ("heading", "body"),
    spec.Product: ("name", "body"),
    spec.Comparison: ("heading", "columns"),
    spec.Row: ("label", "cells"),
    spec.Testimonials: (),
    spec.Testimonial: ("quote", "name"),
    spec.Stats: (),
    spec.Stat: ("value", "label"),
    spec.Faq: ("heading",),
    spec.Question: ("question", "answer"),
    spec.Cta: ("heading", "body"),
    spec.Form: ("heading", "submit"),
    spec.FormField: ("label", "options"),
    spec.Footer: ("body",),
    spec.Image: ("alt",),
    spec.Link: ("label",),
}
"""Fields with such texts. A test compares them with the fields of all types."""


def texts_of(page: PageSpec, seo: Seo) -> Iterator[str]:
    """Yield each text as readers see it; a paragraph of Markdown is one text."""
    yield from (seo.title, seo.description)
    for _, part in parts(page):
        for name in READ.get(type(part), ()):
            value = getattr(part, name)
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, Markdown):
                    yield from markdown.paragraphs(text)
                elif isinstance(text, str):
                    yield text
