"""Scripts that a QA run evaluates in a page: axe-core, and the gathering of facts."""

import gzip
from functools import cache
from importlib.resources import files


@cache
def facts_script() -> str:
    """Return the function that gathers facts about a page (`domain.qa.facts`)."""
    return files(__name__).joinpath("facts.js").read_text(encoding="utf-8")


@cache
def axe_script() -> str:
    """Return a function that defines `axe`, axe-core 4.14.1 as it was published. LICENSE-axe-core has its licence."""
    text = gzip.decompress(files(__name__).joinpath("axe.min.js.gz").read_bytes()).decode()
    return f"() => {{\n{text}\n}}"
