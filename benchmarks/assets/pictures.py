"""One task on one picture in a process of its own, so that the memory is the task's: `python -m ... TASK FILE`.

Prints seconds of CPU, the median of the rounds, and the memory that the task needed above what was loaded before.
"""

import re
import statistics
import sys
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image

from abtest.adapters.images import PillowCodec

ROUNDS = 5


def plain(content: bytes) -> None:
    """Open and save, as any program does."""
    image = Image.open(BytesIO(content))
    image.save(BytesIO(), image.format)


def plain_renditions(content: bytes) -> None:
    """Decode once, resize each width from the full picture, and save."""
    image = Image.open(BytesIO(content))
    for width in (480, 960, 1440, 1920):
        image.resize((width, image.height * width // image.width)).save(BytesIO(), "WEBP")


TASKS: dict[str, Callable[[bytes], object]] = {
    "plain": plain,
    "plain-renditions": plain_renditions,
    "clean": PillowCodec().clean,
    "renditions": PillowCodec().renditions,
}


def peak_megabytes() -> float:
    """The most memory since this program began; `getrusage` would count what the program before it had held."""
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert peak
    return int(peak[1]) / 1024


def main(task: str, file: str) -> None:
    content = Path(file).read_bytes()
    # A small picture loads the libraries, whose memory is not the task's.
    small = BytesIO()
    Image.new("RGB", (2000, 8)).save(small, Path(file).suffix[1:].upper())
    TASKS[task](small.getvalue())
    before = peak_megabytes()
    seconds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        TASKS[task](content)
        seconds.append(time.process_time() - started)
    print(statistics.median(seconds), peak_megabytes() - before)


if __name__ == "__main__":
    main(*sys.argv[1:])
