"""`python -m tools.peeking_figure`: writes docs/figures/peeking.svg, p by look where nothing is different.

Simulated: both arms convert at 5 %, 20 visitors more an arm at each of 500 looks, 400 such tests.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.stats import batched

LOOKS, STEP, RATE, TESTS, SEED, ALPHA = 500, 20, 0.05, 400, 6, 0.05
WIDTH, HEIGHT, MARGIN = 340, 190, 40
TARGET = Path(__file__).parents[1] / "docs/figures/peeking.svg"
NAIVE, VALID, LIMIT = "#b3261e", "#0b57d0", "#5f6368"


def simulated() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """p of every test at every look, naive and always valid, tests by looks."""
    draws = np.random.default_rng(SEED).binomial(STEP, RATE, size=(2, TESTS, LOOKS)).cumsum(axis=-1)
    visitors = STEP * np.arange(1, LOOKS + 1)
    naive = batched.two_proportions(draws[0], visitors, draws[1], visitors).p_value
    differences = batched.differences_of_rates(draws[0], visitors, draws[1], visitors)
    looks = batched.mixture_test(differences, alpha=ALPHA, tau=0.1 * RATE)
    return naive, batched.running_minimum(looks.always_valid_p)


def svg() -> str:
    """Two panels: the first test wrongly stopped by a naive reader, and how many are stopped by each look."""
    naive, valid = simulated()
    stopped = int(np.argmax((naive[:, 50:] < ALPHA).any(axis=1) & (naive[:, -1] > ALPHA)))
    ever = [np.maximum.accumulate(p <= ALPHA, axis=1).mean(axis=0) for p in (naive, valid)]
    one = _panel(0, "One A/A test: p by look", [naive[stopped], valid[stopped]], 1.0)
    all_of_them = _panel(WIDTH + MARGIN, f"{TESTS} A/A tests: share ever significant", ever, 0.5)
    size = f'viewBox="0 0 {2 * (WIDTH + MARGIN) + MARGIN} {HEIGHT + 2 * MARGIN}"'
    caption = (
        "Naive p-values cross 0.05 in many tests without any difference; always-valid ones in fewer than 5 percent"
    )
    style = "text{font:12px sans-serif;fill:#1f1f1f}polyline{fill:none;stroke-width:1.5}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{caption}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>\n{one}\n{all_of_them}\n</svg>\n'
    )


def _panel(left: int, title: str, lines: list[NDArray[np.float64]], top: float) -> str:
    x0, y0 = left + MARGIN, HEIGHT + MARGIN
    limit = y0 - HEIGHT * ALPHA / top
    parts = [
        f'<text x="{x0}" y="{MARGIN - 12}">{title}</text>',
        f'<path d="M{x0} {MARGIN}V{y0}H{x0 + WIDTH}" fill="none" stroke="#1f1f1f"/>',
        f'<path d="M{x0} {limit:.1f}H{x0 + WIDTH}" stroke="{LIMIT}" stroke-dasharray="4 3"/>',
        f'<text x="{x0 - 34}" y="{limit + 4:.1f}">{ALPHA}</text><text x="{x0 - 26}" y="{MARGIN + 4}">{top:g}</text>',
        f'<text x="{x0 + WIDTH}" y="{y0 + 18}" text-anchor="end">{LOOKS * STEP:,} visitors an arm</text>',
    ]
    names = (("naive", NAIVE), ("always valid", VALID))
    for row, ((name, colour), values) in enumerate(zip(names, lines, strict=True)):
        points = " ".join(
            f"{x0 + WIDTH * (look + 1) / LOOKS:.1f},{y0 - HEIGHT * values[look] / top:.1f}"
            for look in range(0, LOOKS, 5)
        )
        parts.append(f'<polyline points="{points}" stroke="{colour}"/>')
        parts.append(f'<text x="{x0 + 8}" y="{y0 + 18 + 14 * row}" style="fill:{colour}">{name}</text>')
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(svg())
