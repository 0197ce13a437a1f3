"""A shop's sections of raw objects as files, for `raw_rows.stage`."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from abtest.adapters.warehouse.raw_rows import DOWNLOADS, check_complete
from abtest.domain.ledger.objects import Section
from abtest.ports.blobs import Blobs
from abtest.ports.warehouse import LedgerObjectError


def download_sections(ledger: Blobs, sections: Sequence[Section], folder: Path) -> dict[str, Path]:
    """Download one section of each object to a file in the folder; return the files by the key of the object.

    Raises LedgerObjectError for a section that is missing, empty or not complete.
    """

    def one(numbered: tuple[int, Section]) -> Path:
        number, section = numbered
        content = ledger.part(section.key, section.offset, section.length)
        if not content:
            raise LedgerObjectError(section.key, "does not exist" if content is None else "ends before the section")
        check_complete(section.key, content)
        path = folder / f"section-{number}.ndjson.gz"
        path.write_bytes(content)
        return path

    with ThreadPoolExecutor(DOWNLOADS) as pool:
        paths = list(pool.map(one, enumerate(sections)))
    return {section.key: path for section, path in zip(sections, paths, strict=True)}
