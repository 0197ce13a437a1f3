"""Entry point of the roll-up schedule."""

from dataclasses import asdict

from abtest.wiring.crons import rollup

run = rollup()


def handler(_event: object, _context: object) -> dict[str, object]:
    """Count the ledger into roll-ups; says what was done, or that another run was at it."""
    tally = run.run()
    return {"skipped": "another run is at it"} if tally is None else asdict(tally)
