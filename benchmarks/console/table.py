"""Rows that have a goal."""

from benchmarks.harness import line


def row(claim: str, ours: str, baseline_name: str, baseline: str, ratio: float, goal: float) -> None:
    """Print a row with its ratio, and a note where the ratio is above the goal."""
    line(claim, ours, baseline_name, baseline, ratio)
    print(f"    goal: at most {goal:.2f}{'' if ratio <= goal else ', missed'}")


def limit(claim: str, ours: int, most: int) -> None:
    """Print bytes next to the most that they may be."""
    line(claim, kilobytes(ours), "budget", kilobytes(most), ours / most)


def kilobytes(size: int) -> str:
    """Bytes written as kilobytes of 1,000."""
    return f"{size / 1000:.1f} KB"
