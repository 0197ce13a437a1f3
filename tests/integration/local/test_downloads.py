"""Addresses of files on the local engine: whoever follows one has no credentials of ours."""

from pathlib import Path

import requests

from abtest.adapters.s3.exports import S3ExportStore
from tests.support.local_athena import local_athena


def test_link__of_an_export__gives_the_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a,b\n")
    with local_athena(tmp_path) as made:
        store = S3ExportStore(made.stack.name("LedgerBucket"))
        list(store.store("exports/s/e.csv", file, content_type="text/csv"))
        answer = requests.get(store.link("exports/s/e.csv", file_name="e.csv", seconds=60), timeout=10)
    assert (answer.status_code, answer.content) == (200, b"a,b\n")
    assert answer.headers["content-disposition"] == 'attachment; filename="e.csv"'
