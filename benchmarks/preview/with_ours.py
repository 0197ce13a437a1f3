"""Rewriting of pages by `domain/preview`: prints seconds for a pass over all, and memory, as JSON."""

import sys

from abtest.domain.preview.addresses import PreviewSite
from abtest.domain.preview.html import rewrite_html
from benchmarks.preview.corpus import BASE, PAGE_URL, TOKEN
from benchmarks.preview.passes import measure

SITE = PreviewSite(base=BASE, token=TOKEN, hosts=frozenset({"shop.example"}))

if __name__ == "__main__":
    measure(sys.argv[1:], lambda page: rewrite_html(page, "text/html", page_url=PAGE_URL, site=SITE))
