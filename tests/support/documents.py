"""PDF documents for tests, friendly and hostile."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

from pypdf import PdfReader, PdfWriter

PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >>"


def pdf(*pages: str | bytes, filters: str = "") -> bytes:
    """Return a PDF with a page for each text; bytes are content streams as they are, packed by `filters`."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * place} 0 R" for place in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for place, page in enumerate(pages):
        stream = page if isinstance(page, bytes) else _shown(page)
        objects.append(PAGE + f" /Contents {5 + 2 * place} 0 R >>".encode())
        objects.append(f"<< /Length {len(stream)}{filters} >>\nstream\n".encode() + stream + b"\nendstream")
    return assembled(objects)


def assembled(objects: Sequence[bytes]) -> bytes:
    """Return the file of these objects; the first one is the catalog."""
    content, places = b"%PDF-1.7\n", list[int]()
    parts = [content]
    length = len(content)
    for number, body in enumerate(objects, start=1):
        places.append(length)
        parts.append(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
        length += len(parts[-1])
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}"
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{length}\n%%EOF\n"
    return b"".join([*parts, table.encode(), trailer.encode()])


def encrypted(content: bytes, password: str = "secret", algorithm: str = "AES-256") -> bytes:
    """Return a document that needs a password; without one, it only has restrictions."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, "owner", algorithm=algorithm)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def bomb(mebibytes: int = 256) -> bytes:
    """Return a page whose content becomes so large when it is decompressed twice; the file has some kilobytes."""
    packer = zlib.compressobj(9)
    block = b" " * (1 << 20)
    inner = b"".join(packer.compress(block) for _ in range(mebibytes)) + packer.flush()
    return pdf(zlib.compress(inner, 9), filters=" /Filter [/FlateDecode /FlateDecode]")


def unicode_pdf(*code_units: str) -> bytes:
    """Return a page with a font that maps its first characters to these UTF-16 code units in hexadecimal."""
    rows = "".join(f"<{place:02X}> <{unit}>\n" for place, unit in enumerate(code_units, start=65))
    cmap = (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n1 begincodespacerange\n<00> <FF>\n"
        f"endcodespacerange\n{len(code_units)} beginbfchar\n{rows}endbfchar\nendcmap\nend\nend\n"
    ).encode()
    text = "".join(chr(place) for place in range(65, 65 + len(code_units)))
    stream = _shown(text)
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
            PAGE + b" /Contents 5 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n".encode() + stream + b"\nendstream",
            f"<< /Length {len(cmap)} >>\nstream\n".encode() + cmap + b"\nendstream",
        ]
    )


def _shown(text: str) -> bytes:
    lines = text.split("\n")
    shown = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
    return f"BT /F1 12 Tf 10 780 Td {shown} ET".encode("latin-1")
