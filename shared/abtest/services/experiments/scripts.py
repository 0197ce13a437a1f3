"""Scripts are refused when they are written, not left out when they are published."""

from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.delivery.snippet import problem_of
from abtest.kit.errors import FieldError, ServiceError
from abtest.ports.scripts import ScriptChecker
from abtest.services.publication.budget import refuse_overweight
from abtest.services.publication.code import CheckedScripts

_SCRIPTS = ("experiment_js", "experiment_reset_js", "custom_js", "reset_js", "js")
_PART = "experience"
_LISTS = ("variations", "url_blocks")


class InvalidScriptError(ServiceError):
    """Script that is not JavaScript, or cannot be part of a page; `fields` has its path."""

    status = 400
    code = "invalid_script"


def refuse_broken_scripts(given: Mapping[str, Any], checker: ScriptChecker) -> None:
    """Check every script among the given fields of an experiment or a personalization, or of a part of one.

    Raises InvalidScriptError, TooLargeError.
    """
    # Without the shop's cache: its memory is of published scripts, and these are new.
    sources, scripts = list(_scripts(given)), CheckedScripts(checker)
    refuse_overweight(sum(len(source) for _, source in sources))  # before seconds are spent on what is refused anyway
    problems = ((path, problem_of(source, scripts)) for path, source in sources)
    fields = [FieldError(path, why) for path, why in problems if why is not None]
    if fields:
        raise InvalidScriptError(f"{fields[0].path}: {fields[0].message}", fields=fields)


def _scripts(given: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the source of each script, in the order of the given fields."""
    for name, value in given.items():
        if name in _SCRIPTS and value is not None:
            yield f"{path}{name}", value
        elif name == _PART:
            yield from _scripts(value, f"{path}{name}.")
        elif name in _LISTS:
            for index, item in enumerate(value or ()):
                yield from _scripts(item, f"{path}{name}[{index}].")
