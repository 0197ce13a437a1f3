"""Scripts that an experiment has already are not checked again: a plan of a large experiment has few new ones."""

from collections.abc import Iterator
from dataclasses import dataclass

from abtest.domain.experiments.model import Experiment
from abtest.ports.scripts import ScriptChecker, ScriptError

_SCRIPTS = ("experiment_js", "experiment_reset_js")


@dataclass(frozen=True, slots=True)
class KnownScripts:
    """Checker that accepts the scripts it knows."""

    checker: ScriptChecker
    known: frozenset[str]

    def check(self, source: str) -> ScriptError | None:
        """Return the first syntax error of a script that is not known."""
        return None if source in self.known else self.checker.check(source)

    def parses(self, source: str) -> bool:
        """Return whether a text parses."""
        return self.checker.parses(source)

    def is_young(self, source: str) -> bool:
        """Return whether a script needs a later edition than the SDK."""
        return self.checker.is_young(source)


def known_scripts(checker: ScriptChecker, experiment: Experiment | None) -> ScriptChecker:
    """Return a checker that knows the scripts of an experiment, which were checked when they were written."""
    return checker if experiment is None else KnownScripts(checker, frozenset(_scripts_of(experiment)))


def _scripts_of(experiment: Experiment) -> Iterator[str]:
    sources = [getattr(experiment, name) for name in _SCRIPTS]
    for arm in experiment.variations:
        sources += [arm.custom_js, *(block.get("js") for block in arm.url_blocks or ())]
    yield from (source for source in sources if isinstance(source, str))
