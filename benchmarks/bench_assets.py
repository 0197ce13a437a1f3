"""Uploaded files: pictures of 12 megapixels next to Pillow's own open and save; bootstrap-icons next to expat alone."""

import subprocess
import sys
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.parsers import expat

from abtest.domain.assets.svg import sanitised
from benchmarks.assets.samples import encoded
from benchmarks.harness import compare, line, milliseconds
from tests.support.harmless_svg import icons


def measured(task: str, file: Path) -> tuple[float, float]:
    """Seconds of CPU and megabytes of a task, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.assets.pictures", task, str(file)]
    seconds, megabytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(megabytes)


def pictures() -> None:
    """Print cleaning and renditions of both formats."""
    with TemporaryDirectory() as folder:
        for form, options in (("JPEG", {"quality": 85}), ("PNG", {})):
            file = Path(folder, f"photo.{form.lower()}")
            file.write_bytes(encoded(form, **options))
            for task, baseline in (("clean", "plain"), ("renditions", "plain-renditions")):
                ours, theirs = measured(task, file), measured(baseline, file)
                line(
                    f"{task}, {form}, {file.stat().st_size / 1e6:.1f} MB",
                    f"{ours[0]:.2f} s {ours[1]:.0f} MB",
                    {"clean": "Image.open().save()", "renditions": "resize() and save() of each"}[task],
                    f"{theirs[0]:.2f} s {theirs[1]:.0f} MB",
                    ours[0] / theirs[0],
                )


def parsed(content: bytes) -> None:
    """Parse with expat and throw the result away."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda _name, _attributes: None
    parser.Parse(content, True)


def drawings() -> None:
    """Print the time of sanitising an icon."""
    contents = list(icons().values())
    comparison = compare(
        lambda: [sanitised(content, bytes) for content in contents],
        lambda: deque(map(parsed, contents), 0),
        repeat=1,
    )
    line(
        f"sanitised, each of {len(contents):,} icons",
        milliseconds(comparison.ours / len(contents)),
        "expat, parsed only",
        milliseconds(comparison.baseline / len(contents)),
        comparison.ratio,
    )


def main() -> None:
    print("Uploaded files, CPU and memory above the start, one core")
    pictures()
    drawings()


if __name__ == "__main__":
    main()
