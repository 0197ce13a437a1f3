"""Processor time that the proxy adds to a document of django-oscar, next to html5lib, which rewrites it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from tempfile import mkdtemp
from time import process_time
from urllib.parse import urlsplit

import requests

from abtest.ports.http_sender import HttpAnswer
from benchmarks.harness import line, milliseconds
from benchmarks.preview.pixels import OSCAR
from benchmarks.preview.rewriting import OTHERS, run
from tests.e2e.oscar.server import running_shop
from tests.support.previewed import PreviewedShop
from tests.support.previewing import Previewing

GOAL = 0.060
ROUNDS = 200


@dataclass(frozen=True)
class Recorded:
    """Responses of a shop, by address: what is measured then is the proxy alone."""

    answers: Mapping[str, HttpAnswer]

    def forward(self, method: str, url: str, body: bytes | None, *, headers: Mapping[str, str]) -> HttpAnswer:
        """Return the recorded response."""
        assert (method, body) == ("GET", None)
        assert headers
        return self.answers[url]


def report() -> None:
    """Print the middle and the slowest twentieth of all documents."""
    folder = Path(mkdtemp(prefix="bench-preview-"))
    with running_shop(folder, "http://127.0.0.1:9/s/none.js") as product:
        host = urlsplit(product).netloc
        answers = {url: _recorded(url) for url in (f"http://{host}{path}" for path in OSCAR)}
    preview = Previewing(PreviewedShop(host), upstream=Recorded(answers))
    seconds = []
    for _ in range(ROUNDS):
        preview.clock.advance(seconds=1)
        token = preview.open()
        for path in OSCAR:
            started = process_time()
            reply = preview.page(token, path)
            seconds.append(process_time() - started)
            assert (reply.status, b"__svcPreview" in reply.body) == (200, True)
    slowest = quantiles(seconds, n=20)[-1]
    files = [folder / f"page{number}.html" for number in range(len(answers))]
    for file, answer in zip(files, answers.values(), strict=True):
        file.write_bytes(answer.body)
    theirs = run(str(OTHERS), [str(file) for file in files])["seconds"] / len(files)
    print(f"Processor time added to a document of django-oscar (goal: 95 of 100 within {milliseconds(GOAL)})")
    line(
        "half of them",
        milliseconds(median(seconds)),
        "html5lib, on average",
        milliseconds(theirs),
        median(seconds) / theirs,
    )
    line("95 of 100", milliseconds(slowest), "html5lib, on average", milliseconds(theirs), slowest / theirs)


def _recorded(url: str) -> HttpAnswer:
    answer = requests.get(url, timeout=30)
    return HttpAnswer(
        status=answer.status_code,
        content_type=answer.headers["content-type"],
        body=answer.content,
        headers={name.lower(): value for name, value in answer.headers.items()},
        url=url,
    )
