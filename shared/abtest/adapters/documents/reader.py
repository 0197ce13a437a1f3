"""Text of PDF documents. Each is parsed by a process of its own, whose time and memory are limited."""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from typing import Any

from abtest.adapters.documents import page_texts
from abtest.domain.brand.excerpts import MAX_EXCERPT, joined_text
from abtest.ports.documents import UnreadableDocumentError

SECONDS = 9.0
"""Time for one document, with the start of its process."""


class PdfTexts:
    """Reader of PDF documents."""

    def beginning(self, content: bytes) -> str:
        lines = [json.loads(line) for line in _printed(content).splitlines()]
        text = joined_text([line["text"] for line in lines if "text" in line])[:MAX_EXCERPT].rstrip()
        if not text:
            raise UnreadableDocumentError(_problem(lines))
        return text


def _printed(content: bytes) -> bytes:
    """Return what the process printed, however it ended. A last line without its end is left out."""
    command = [sys.executable, "-m", page_texts.__name__]
    # Nothing of this function's environment, which has its credentials; libraries are where this process has them.
    environment = {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "LD_LIBRARY_PATH": sysconfig.get_config_var("LIBDIR") or "",
    }
    try:
        done = subprocess.run(  # noqa: S603 - no part of the command comes from outside
            command,
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # warnings about the file
            env=environment,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return _whole_lines(error.stdout or b"")
    if done.returncode > 0:  # a signal is a limit; anything else is a fault of this deployment, not of the file
        raise RuntimeError(f"{page_texts.__name__} ended with {done.returncode}")
    return _whole_lines(done.stdout)


def _whole_lines(printed: bytes) -> bytes:
    return printed[: printed.rfind(b"\n") + 1]


def _problem(lines: Sequence[Any]) -> Any:
    if not (lines and "problem" in lines[-1]):
        return "too_large"  # the system ended the process at one of its limits
    return lines[-1]["problem"] or "no_text"
