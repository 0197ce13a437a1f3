"""Text of PDF documents, friendly and hostile: each has an outcome within the limits of time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from typing import NamedTuple

import pytest

from abtest.adapters.documents import page_texts, reader
from abtest.adapters.documents.reader import PdfTexts
from abtest.domain.brand.excerpts import MAX_EXCERPT, MAX_FILES, Problem
from abtest.ports.documents import UnreadableDocumentError
from tests.support.documents import bomb, encrypted, pdf, unicode_pdf
from tests.support.template import Stack

FLATE = " /Filter /FlateDecode"


def text_of(content: bytes) -> str:
    """Return the beginning of a document's text."""
    return PdfTexts().beginning(content)


# The system counts what a process had before it became another program, so a large test run must not start it itself.
LAUNCHER = """
import json, resource, subprocess, sys
subprocess.run([sys.executable, "-m", sys.argv[1]], stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump([used.ru_maxrss << 10, used.ru_utime + used.ru_stime], sys.stderr)
"""


class Used(NamedTuple):
    """Bytes of memory and seconds of CPU."""

    memory: int
    cpu: float


def measured(content: bytes) -> tuple[bytes, Used]:
    """Return what the process prints for a document, and what it used."""
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER, page_texts.__name__],
        input=content,
        capture_output=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )
    return done.stdout, Used(*json.loads(done.stderr))


def test_text__of_a_document__is_that_of_its_pages_in_order() -> None:
    assert text_of(pdf("Our voice\nis warm.", "", "Say you.")) == "Our voice\nis warm.\nSay you."


def test_text__has_at_most_2000_characters() -> None:
    assert text_of(pdf("x" * 5000)) == "x" * MAX_EXCERPT
    assert len(text_of(pdf(*["x" * 1500] * 3))) == MAX_EXCERPT


def test_text__of_characters_that_no_store_holds__has_others() -> None:
    content = unicode_pdf("0041", "0000", "D83D", "DE00", "D800", "202E", "FFFF", "0008", "0042")
    assert text_of(content) == "A 😀\ufffd B"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (lambda: encrypted(pdf("Secret")), "encrypted"),
        (lambda: encrypted(pdf("Secret"), algorithm="RC4-128"), "encrypted"),
        (lambda: encrypted(pdf("Restricted"), password=""), "encrypted"),
        (lambda: b"", "damaged"),
        (lambda: b"%PDF-1.7\nnothing\nstartxref\n0\n%%EOF", "damaged"),
        (lambda: pdf("Cut off")[:250], "damaged"),
        (lambda: b"%PDF-1.7\n" + bytes(range(256)) * 20_000 + b"startxref\n9\n%%EOF", "damaged"),
        (lambda: pdf("", ""), "no_text"),
        (lambda: pdf("...", "- - -"), "no_text"),
        (lambda: pdf(zlib.compress(b" " * (60 << 20)), filters=FLATE), "too_large"),
    ],
)
def test_document__without_readable_text__has_its_problem(content: Callable[[], bytes], problem: Problem) -> None:
    with pytest.raises(UnreadableDocumentError) as raised:
        text_of(content())
    assert raised.value.problem == problem


def test_document__with_a_page_that_cannot_be_read__has_the_text_of_the_others() -> None:
    packed = [zlib.compress(stream) for stream in (b" " * (60 << 20), b"BT /F1 12 Tf (Say you.) Tj ET")]
    assert text_of(pdf(*packed, filters=FLATE)) == "Say you."


def test_document__with_2000_pages__is_read_to_its_first_text() -> None:
    assert len(text_of(pdf(*["A page of text, as long as a line of it. " * 3] * 2000))) == MAX_EXCERPT
    with pytest.raises(UnreadableDocumentError, match="no_text"):
        text_of(pdf(*[""] * 1999, "Too late."))


@pytest.mark.parametrize(
    "content",
    [
        bomb,
        lambda: pdf(*[zlib.compress(b" " * (31 << 20), 9)] * 50, filters=FLATE),
        lambda: pdf(*[zlib.compress(b"[" + b"1 " * (15 << 20) + b"] TJ", 9)] * 3, filters=FLATE),
    ],
    ids=["twice", "on each page", "as an array"],
)
def test_decompression_bomb__is_held_to_memory_and_time(content: Callable[[], bytes]) -> None:
    began = time.monotonic()
    printed, used = measured(content())
    assert printed in (b'{"problem": "too_large"}\n', b"")
    assert used.memory <= page_texts.MEMORY_BYTES
    assert used.cpu <= page_texts.CPU_SECONDS + 1
    assert time.monotonic() - began < 60


def test_document__that_takes_too_long__has_the_text_until_then() -> None:
    endless = b"BT /F1 12 Tf " + b"(a) Tj " * 650_000 + b"ET"
    began = time.process_time()
    assert text_of(pdf("Say you.", endless)) == "Say you."
    assert time.process_time() - began < 2  # the time is that of the other process


def test_document__whose_process_does_not_end__is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "SECONDS", 0.05)
    with pytest.raises(UnreadableDocumentError, match="too_large"):
        text_of(pdf("Say you."))


def test_process__that_cannot_start__is_a_fault_of_the_deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_texts, "__name__", "abtest.absent")
    with pytest.raises(RuntimeError, match="ended with 1"):
        text_of(pdf("Say you."))


def test_process__gets_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[dict[str, str]]()

    def noted(*_: object, env: dict[str, str], **__: object) -> subprocess.CompletedProcess[bytes]:
        given.append(env)
        return subprocess.CompletedProcess([], 0, b'{"text": "Say you."}\n{"problem": null}\n')

    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setattr(subprocess, "run", noted)
    text_of(pdf("Say you."))
    assert set(given[0]) == {"PYTHONPATH", "LD_LIBRARY_PATH"}


def test_worker__has_time_for_all_files_of_a_shop() -> None:
    template = Stack.planned(endpoint="http://127.0.0.1:1")
    (worker,) = [each for each in template.functions() if each.logical_id == "WorkerProfiles"]
    assert worker.timeout >= MAX_FILES * reader.SECONDS + 60


def test_library__is_not_loaded_by_the_worker_itself() -> None:
    code = (
        "import sys, abtest.adapters.documents.reader; assert not any(name.startswith('pypdf') for name in sys.modules)"
    )
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
