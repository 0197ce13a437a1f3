"""Sections of raw objects as files for `raw_rows.stage`: read in parallel, verified, and joined into few files."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from abtest.adapters.warehouse.raw_rows import check_complete
from abtest.domain.ledger.objects import Section
from abtest.ports.blobs import Blobs
from abtest.ports.warehouse import LedgerObjectError

AT_ONCE = 16
FILES = 2
"""Files of a batch: DuckDB reads each in a thread of its own."""

BATCH_BYTES = 1 << 25
BATCH_SECTIONS = 4096
WHOLE_BYTES = 1 << 22
"""Assumed length of an object of unknown length."""

LONGEST = 1 << 32
"""Sections that claim to be longer end where their object ends."""


def batches(ledger: Blobs, sections: Sequence[Section], folder: Path) -> Iterator[dict[str, Path]]:
    """Yield files with the lines of the sections by the key of their first object, and remove them afterwards.

    Raises LedgerObjectError for a section that is missing or not complete.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for batch in _cut(sections):
            contents = list(pool.map(lambda section: _read(ledger, section), batch))
            files: dict[str, Path] = {}
            for number in range(min(FILES, len(batch))):
                path = folder / f"sections-{number}.gz"
                # Gzip files behind each other are one gzip file.
                path.write_bytes(b"".join(contents[number::FILES]))
                files[f"{batch[number].key}#{number}"] = path
            del contents
            try:
                yield files
            finally:
                for path in files.values():
                    path.unlink(missing_ok=True)


def _cut(sections: Sequence[Section]) -> Iterator[list[Section]]:
    batch: list[Section] = []
    size = 0
    for section in sections:
        length = section.length if section.length < LONGEST else WHOLE_BYTES
        if batch and (size + length > BATCH_BYTES or len(batch) == BATCH_SECTIONS):
            yield batch
            batch, size = [], 0
        batch.append(section)
        size += length
    if batch:
        yield batch


def _read(ledger: Blobs, section: Section) -> bytes:
    content = ledger.part(section.key, section.offset, section.length)
    if not content:
        raise LedgerObjectError(section.key, "does not exist" if content is None else "is empty")
    if len(content) < section.length < LONGEST:
        raise LedgerObjectError(section.key, f"ends before byte {section.offset + section.length}")
    check_complete(section.key, content)
    return content
