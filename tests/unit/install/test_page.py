"""Pages as they are read for the snippet: hostile ones take a moment, others lose nothing."""

from __future__ import annotations

import itertools
import string
import time
from collections.abc import Callable

import pytest

from abtest.domain.install.page import LOOKED_AT, MAX_ATTRIBUTES, read_page

NAMES = ["".join(each) for each in itertools.product(string.ascii_lowercase, string.digits, repeat=2)]
SCRIPT = '<script src="https://edge.example/s/shop.js"></script>'


def addresses(content: bytes) -> list[str]:
    return [script.url for script in read_page(content, "https://shop.example/").scripts]


@pytest.mark.parametrize(
    "page",
    [
        lambda: f"<a {' '.join(NAMES)}".encode() * 2,
        lambda: ("<a " + " ".join(f'{name}=">"' for name in NAMES)).encode(),
        lambda: ("<a " + "".join(f'{name}=""' for name in NAMES)).encode(),
        lambda: ("<a " + "/".join(NAMES)).encode(),
        lambda: ("<a " + " ".join(f"<{name}" for name in NAMES)).encode(),
        lambda: f"<a ' {' '.join(NAMES)}".encode(),
        lambda: ("<a " + " ".join(f"={name}" for name in NAMES)).encode(),
        lambda: b"\xff\xfe" + f"<a {' '.join(NAMES)}".encode("utf-16-le"),
        lambda: "".join(f"<a {' '.join(f'<{name}' for name in NAMES[:MAX_ATTRIBUTES])}>" for _ in range(300)).encode(),
    ],
    ids=["names", "quoted ends", "no space", "slashes", "signs", "one quote", "equal signs", "utf-16", "full tags"],
)
def test_tag__with_many_attributes__ends_the_page_before_the_parser(page: Callable[[], bytes]) -> None:
    content = page()[:LOOKED_AT]
    began = time.process_time()
    assert addresses(SCRIPT.encode() + content if content[:1] == b"<" else content) in (
        [],
        [addresses(SCRIPT.encode())[0]],
    )
    assert time.process_time() - began < 5


def test_tag__with_as_many_attributes_as_any__is_read() -> None:
    tag = f"<svg {' '.join(NAMES[:MAX_ATTRIBUTES])}></svg>"
    assert len(addresses(f"{SCRIPT}{tag}{SCRIPT}".encode())) == 2
    more = f"<svg {' '.join(NAMES[: MAX_ATTRIBUTES + 1])}></svg>"
    assert len(addresses(f"{SCRIPT}{more}{SCRIPT}".encode())) == 1


def test_page__in_utf_16__is_read() -> None:
    assert len(addresses(f"<html><head>{SCRIPT}</head></html>".encode("utf-16"))) == 1
