"""The examples of docs/planning.md are executed."""

import doctest
from pathlib import Path


def test_examples__of_the_document__give_what_they_show() -> None:
    document = Path(__file__).parents[3] / "docs" / "planning.md"
    found = doctest.testfile(str(document), module_relative=False)
    assert (found.failed, found.attempted > 4) == (0, True)
