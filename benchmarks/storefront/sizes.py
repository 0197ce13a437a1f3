"""Bytes: the SDK, snippets without experiments, with one, ten and a hundred. Brotli, quality 11, as they are served.

A plain experiment gives one button a new text and has a revenue goal; the varied ones have five mutations of five
actions, a revenue goal and a click goal. All run on pages of one path each.
"""

import json
from collections.abc import Iterator

from abtest.storefront import bundle
from benchmarks.storefront import peers
from benchmarks.storefront.catalogue import Design, Snippet, designs, growthbook, plain, published
from benchmarks.storefront.report import Amount, Row

SDK_AIM = 6_000
SNIPPET_AIM = 8_000
EMPTY_AIM, FIRST_AIM, PLAIN_AIM = 5_200, 1_500, 57
GROWTH_AIM = 200
FEW, MANY = 10, 100


def rows() -> Iterator[Row]:
    """The SDK, whole and as a plain shop gets it, then snippets."""
    few, many = published(designs(FEW)), published(designs(MANY))
    others = _sdk_sizes()
    everything, cut = peers.compressed(bundle()), peers.compressed(few.bundle)
    for what, size in (("SDK with everything", everything), ("SDK as a shop with plain experiments gets it", cut)):
        yield Row(
            what,
            Amount(size, "B"),
            others,
            size / others[0][1].value,
            f"<= {SDK_AIM:,} B",
            size <= SDK_AIM,
            "minified files as their makers publish them; Amplitude's tag is not on npm, its client decides only",
        )
    yield from _plain()
    yield _snippet(few)
    yield _growth(few, many)


def _plain() -> Iterator[Row]:
    """A shop without experiments, what its first plain one adds, and what each further one does."""
    none, one, many = (published(plain(count)).brotli for count in (0, 1, MANY))
    each = (many - one) / (MANY - 1)
    theirs = [peers.compressed(peers.growthbook() + _payload(plain(count))) for count in (0, 1, MANY)]
    for what, ours, peer, aim in (
        ("snippet without experiments", none, theirs[0], EMPTY_AIM),
        ("the first plain experiment adds", one - none, theirs[1] - theirs[0], FIRST_AIM),
        (f"each plain experiment more, from 1 to {MANY}", each, (theirs[2] - theirs[1]) / (MANY - 1), PLAIN_AIM),
    ):
        yield Row(
            what,
            Amount(ours, "B"),
            [("GrowthBook auto + its JSON", Amount(peer, "B"))],
            ours / peer,
            f"<= {aim:,} B",
            ours <= aim,
            "one text mutation and a revenue goal each; theirs without goals, which its SDK ignores, and without ids",
        )


def _sdk_sizes() -> list[tuple[str, Amount]]:
    sizes = {
        "GrowthBook auto": peers.growthbook(),
        "Amplitude client": peers.amplitude(),
        "PostHog array": peers.posthog(),
    }
    return [(name, Amount(peers.compressed(text), "B")) for name, text in sizes.items()]


def _payload(wanted: list[Design]) -> str:
    return json.dumps(growthbook(wanted), separators=(",", ":"))


def _snippet(few: Snippet) -> Row:
    theirs = peers.compressed(peers.growthbook() + _payload(designs(FEW)))
    return Row(
        f"snippet with {FEW} experiments of 5 mutations",
        Amount(few.brotli, "B"),
        [("GrowthBook auto + its JSON", Amount(theirs, "B"))],
        few.brotli / theirs,
        f"<= {SNIPPET_AIM:,} B",
        few.brotli <= SNIPPET_AIM,
        "same selectors, texts, addresses and splits; ours with two goals each, theirs without what its SDK ignores",
    )


def _growth(few: Snippet, many: Snippet) -> Row:
    ours = (many.brotli - few.brotli) / (MANY - FEW)
    sizes = [peers.compressed(peers.growthbook() + _payload(designs(count))) for count in (FEW, MANY)]
    theirs = (sizes[1] - sizes[0]) / (MANY - FEW)
    return Row(
        f"each experiment more, from {FEW} to {MANY}",
        Amount(ours, "B"),
        [("GrowthBook's JSON, without ids and goals", Amount(theirs, "B"))],
        ours / theirs,
        f"<= {GROWTH_AIM} B",
        ours <= GROWTH_AIM,
        "ours carries five ids of 62 random bits each (experiment, two variations, two goals)",
    )
