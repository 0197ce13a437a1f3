"""Rewriting of real pages next to html5lib, and the largest page that is admitted."""

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from abtest.domain.preview.addresses import PreviewSite
from abtest.domain.preview.css import rewrite_stylesheet
from abtest.domain.preview.html import rewrite_html
from benchmarks.harness import line
from benchmarks.preview.corpus import BASE, PAGE_URL, TOKEN, paths

OTHERS = Path(".local/venvs/benchmarks/bin/python")
SCRIPTS = {sys.executable: "benchmarks/preview/with_ours.py", str(OTHERS): "benchmarks/preview/with_html5lib.py"}
GOAL = 8
ROUNDS = 3
LARGEST = 5 * 1024 * 1024
SITE = PreviewSite(base=BASE, token=TOKEN, hosts=frozenset({"shop.example"}))


def report() -> None:
    """Print speed and memory of each side, and the time of hostile pages."""
    if not OTHERS.exists():
        sys.exit("html5lib is not installed: make benchmark-engines installs it")
    pages = paths()
    rounds = [{python: run(python, pages) for python in SCRIPTS} for _ in range(ROUNDS)]
    speeds = {python: median(_speed(results[python]) for results in rounds) for python in SCRIPTS}
    ours, theirs = (speeds[python] for python in SCRIPTS)
    print(f"Rewriting of {len(pages)} real pages, CPU (goal: >= {GOAL} x html5lib)")
    line("HTML", f"{ours:.1f} MB/s", "html5lib, parsed and written", f"{theirs:.1f} MB/s", ours / theirs)
    memory, other = (max(results[python]["megabytes"] for results in rounds) for python in SCRIPTS)
    line("memory above the pages", f"{memory:.1f} MB", "html5lib", f"{other:.1f} MB", memory / max(other, 0.1))
    for name, piece, is_css in (("links", b"<a href=/x%d>", False), ("addresses in CSS", b"a{b:url(/%d.svg)}", True)):
        page = b"".join(piece % number for number in range(LARGEST // len(piece)))
        started = process_time()
        if is_css:
            rewrite_stylesheet(page, "text/css", page_url=PAGE_URL, site=SITE)
        else:
            rewrite_html(page, "text/html", page_url=PAGE_URL, site=SITE)
        print(f"  {len(page) / 1e6:.1f} MB of {name}: {process_time() - started:.2f} s")


def run(python: str, pages: list[str]) -> dict[str, Any]:
    """Return what passes over pages take, in this Python."""
    environment = os.environ | {"PYTHONPATH": "shared:."}
    command = [python, SCRIPTS[python], *pages]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _speed(result: dict[str, Any]) -> float:
    return float(result["bytes"] / result["seconds"] / 1e6)
