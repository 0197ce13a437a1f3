"""Shows what runs, as tables."""

from __future__ import annotations

from typing import Any


def table(headings: list[str], rows: list[list[Any]]) -> str:
    """Lay out rows under headings, in columns as wide as their widest cell."""
    cells = [headings, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def describe(status: dict[str, Any]) -> str:
    """The whole answer of `status`."""
    engine = status["engine"]
    state = f"pid {engine['pid']}, {engine['restarts']} restarts"
    addresses = [*status["addresses"].items(), ("AWS engine", f"{engine['address']} ({state})")]
    functions = [
        [
            function["name"],
            function["folder"],
            function["workers"],
            function["invocations"],
            function["errors"],
            " ".join(function["scheduled"]),
        ]
        for function in status["functions"]
    ]
    queues = [
        [name, queue["visible"], queue["in_flight"], queue["delayed"], "dead letters" if queue["dead"] else ""]
        for name, queue in status["queues"].items()
    ]
    return "\n\n".join(
        [
            table(["address of", "url"], [list(pair) for pair in addresses]),
            table(["function", "folder", "workers", "invocations", "errors", "schedule"], functions),
            table(["queue", "visible", "in flight", "delayed", ""], queues)
            if engine["responds"]
            else f"The AWS engine (pid {engine['pid']}) does not respond, so the queues are unknown.",
        ]
    )
