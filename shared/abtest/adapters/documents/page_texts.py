"""Process that reads the text of one PDF: the file comes on its input, a line of JSON for each page goes to its output.

The last line is `{"problem": …}`. A hostile file can make a parser take any time and memory, so the process limits
itself before it reads a byte. What it printed until then counts also if the system ends it.
"""

import json
import resource
import sys
from collections.abc import Iterator

from abtest.domain.brand.excerpts import MAX_EXCERPT, Problem, joined_text

CPU_SECONDS = 6
MEMORY_BYTES = 512 << 20
MAX_PAGES = 50
"""Pages that are read until there is enough text."""

MAX_PAGE = 20 * MAX_EXCERPT
"""Characters of a page that are looked at: one without visible text may have millions."""

MAX_STREAM_BYTES = 32 << 20
"""Bytes of a decompressed stream. pypdf makes several copies of it, which have to fit into the memory."""


def main() -> None:
    """Read a PDF from the standard input, and print its pages."""
    _limit_process()
    for line in _lines(sys.stdin.buffer.read()):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()  # the system may end this process at any moment


def _limit_process() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _lines(content: bytes) -> Iterator[dict[str, str | None]]:
    """Yield the text of each page that has some, then the problem of the first page that could not be read."""
    # Only here: the worker itself never loads the library.
    from pypdf.errors import DependencyError, FileNotDecryptedError

    first: Problem | None = None
    try:
        length = 0
        for text, problem in _pages(content):
            first = first or problem
            if text:
                yield {"text": text[:MAX_EXCERPT]}
            length += len(text)
            if length >= MAX_EXCERPT:
                break
    except (DependencyError, FileNotDecryptedError):
        first = "encrypted"
    except Exception as error:  # whatever the file provokes; the process has nothing else to do
        first = _problem_of(error)
    yield {"problem": first}


def _pages(content: bytes) -> Iterator[tuple[str, Problem | None]]:
    from io import BytesIO

    from pypdf import PdfReader, overwrite_configuration
    from pypdf.errors import FileNotDecryptedError

    overwrite_configuration(
        zlib_maximum_output_length=MAX_STREAM_BYTES,
        lzw_maximum_output_length=MAX_STREAM_BYTES,
        run_length_maximum_output_length=MAX_STREAM_BYTES,
        array_based_stream_maximum_output_length=MAX_STREAM_BYTES,
        jbig2dec_binary=None,
    )
    reader = PdfReader(BytesIO(content))
    if reader.is_encrypted:
        raise FileNotDecryptedError
    for number in range(min(len(reader.pages), MAX_PAGES)):
        try:
            yield joined_text([reader.pages[number].extract_text()[:MAX_PAGE]]), None
        except Exception as error:  # the other pages may be readable
            yield "", _problem_of(error)


def _problem_of(error: Exception) -> Problem:
    from pypdf.errors import LimitReachedError

    return "too_large" if isinstance(error, LimitReachedError | MemoryError | RecursionError) else "damaged"


if __name__ == "__main__":
    main()
