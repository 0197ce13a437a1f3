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
    """A script is no JavaScript, or cannot stand in a page; `fields` say where."""

    status = 400
    code = "invalid_script"


def refuse_broken_scripts(stated: Mapping[str, Any], checker: ScriptChecker) -> None:
    """Check every script among the stated fields of an experiment or a personalization, or of a part of one.

    Raises InvalidScriptError, TooLargeError.
    """
    # Without the shop's cache: its memory is of published scripts, and these are new.
    sources, scripts = list(_scripts(stated)), CheckedScripts(checker)
    refuse_overweight(sum(len(source) for _, source in sources))  # before seconds are spent on what is refused anyway
    found = ((path, problem_of(source, scripts)) for path, source in sources)
    fields = [FieldError(path, why) for path, why in found if why is not None]
    if fields:
        raise InvalidScriptError(f"{fields[0].path}: {fields[0].message}", fields=fields)


def _scripts(stated: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """The path and the source of each script, in the order in which the fields are stated."""
    for name, value in stated.items():
        if name in _SCRIPTS and value is not None:
            yield f"{path}{name}", value
        elif name == _PART:
            yield from _scripts(value, f"{path}{name}.")
        elif name in _LISTS:
            for index, item in enumerate(value or ()):
                yield from _scripts(item, f"{path}{name}[{index}].")
