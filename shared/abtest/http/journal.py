"""The structured log of the management API: event names, ids and times; never a body, a secret or a visitor's data."""

from time import perf_counter

from aws_lambda_powertools import Logger

from abtest.http.exchange import Exchange

journal = Logger(child=False)


def note_answer(exchange: Exchange, method: str, status: int, started: float) -> None:
    """One line for each answered request."""
    caller = exchange.caller
    journal.info(
        "request.answered",
        correlation_id=exchange.request_id,
        operation=exchange.operation,
        method=method,
        status=status,
        milliseconds=round((perf_counter() - started) * 1000, 1),
        shop_id=caller.shop_id if caller else None,
        key_id=caller.key_id if caller else None,
    )
