"""Composition root of cron_autostop."""

from dataclasses import asdict
from typing import Any

from abtest.adapters import aws
from abtest.ports.waits import CallerKind
from abtest.wiring.decision_dispatch import decision_dispatch
from abtest.wiring.handler import Handler


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    use = decision_dispatch()

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run("autostop"))

    return handler
