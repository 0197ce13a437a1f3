"""Unified diffs whose work is bounded, however hostile the texts.

`difflib` finds good diffs, and takes cubic time on texts made for it. So lines that both texts have exactly once divide
them first (patience diff), and only the parts between these lines are compared, as long as the budget lasts; a part
beyond it is removed and added as a whole.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher

CONTEXT = 3
MAX_CHARACTERS = 1_000_000
"""Characters of all diffs under one budget."""

MAX_WORK = 50_000_000
"""Upper bound of the steps of all comparisons under one budget, as the product of the lines and the shorter text."""

Lines = Sequence[str]
Block = tuple[int, int, int]
"""Equal lines: their places in the old and in the new text, and how many they are."""


@dataclass(slots=True)
class Budget:
    """Work and characters that are left for the diffs of one plan."""

    work: int = MAX_WORK
    characters: int = MAX_CHARACTERS


def unified(path: str, before: str | None, after: str | None, budget: Budget) -> str:
    """Return the unified diff between two texts of a file, None for a file that does not exist."""
    old, new = _lines(before), _lines(after)
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    diff = "".join([f"--- {names[0]}\n", f"+++ {names[1]}\n", *_hunks(old, new, budget)])
    left = max(0, budget.characters)
    budget.characters -= len(diff)
    if len(diff) <= left:
        return diff
    return f"{diff[:left]}\n\\ The rest is left out: the diffs of this plan exceed {MAX_CHARACTERS:,} characters.\n"


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.removesuffix("\n").split("\n")


def _hunks(old: Lines, new: Lines, budget: Budget) -> Iterator[str]:
    for group in _Matched(old, new, budget).get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"
        for kind, old_start, old_end, new_start, new_end in group:
            if kind == "equal":
                yield from (f" {line}\n" for line in old[old_start:old_end])
                continue
            yield from (f"-{line}\n" for line in old[old_start:old_end])
            yield from (f"+{line}\n" for line in new[new_start:new_end])


class _Matched(SequenceMatcher[str]):
    """Matcher whose groups with their context are those of difflib, and whose equal lines are those of this module."""

    def __init__(self, old: Lines, new: Lines, budget: Budget) -> None:
        super().__init__(None, old, new, autojunk=False)
        self._blocks = [*_joined(_equal(old, new, budget)), (len(old), len(new), 0)]

    def get_matching_blocks(self) -> list[Match]:
        """Return the equal lines, and the mark of the end."""
        return [Match(*block) for block in self._blocks]


def _span(start: int, end: int) -> str:
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"


def _joined(blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield the blocks, those that follow each other directly as one."""
    joined: Block = (0, 0, 0)
    for old, new, count in blocks:
        if (joined[0] + joined[2], joined[1] + joined[2]) == (old, new):
            joined = (joined[0], joined[1], joined[2] + count)
        else:
            if joined[2]:
                yield joined
            joined = (old, new, count)
    if joined[2]:
        yield joined


def _equal(old: Lines, new: Lines, budget: Budget) -> Iterator[Block]:
    """Yield equal lines in their order."""
    start = _common(old, new)
    end = min(_common(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    if start:
        yield 0, 0, start
    past_old, past_new = start, start
    stops = [*_anchors(old, new, start, end), (len(old) - end, len(new) - end)]
    for old_stop, new_stop in stops:
        part = (old[past_old:old_stop], new[past_new:new_stop])
        for each in _compared(*part, budget):
            yield each[0] + past_old, each[1] + past_new, each[2]
        is_line = (old_stop, new_stop) != stops[-1]
        if is_line:
            yield old_stop, new_stop, 1
        past_old, past_new = old_stop + is_line, new_stop + is_line
    if end:
        yield len(old) - end, len(new) - end, end


def _common(left: Lines, right: Lines) -> int:
    pairs = zip(left, right, strict=False)
    return next((index for index, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))


def _compared(old: Lines, new: Lines, budget: Budget) -> list[Block]:
    work = len(old) * len(new) * min(len(old), len(new))
    if work == 0 or work > budget.work:
        return []
    budget.work -= work
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _anchors(old: Lines, new: Lines, start: int, end: int) -> list[tuple[int, int]]:
    """Return the places of lines that both texts have once, as many as are in the same order in both."""
    old_middle, new_middle = range(start, len(old) - end), range(start, len(new) - end)
    old_count = Counter(old[index] for index in old_middle)
    new_count = Counter(new[index] for index in new_middle)
    places = {old[index]: index for index in old_middle if old_count[old[index]] == 1}
    pairs = [(places[new[index]], index) for index in new_middle if new[index] in places and new_count[new[index]] == 1]
    return _rising(pairs)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence whose first places rise, too; the second ones do (patience sorting)."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int | None] = []
    for index, (place, _) in enumerate(pairs):
        at = bisect_left(tails, place)
        before.append(ends[at - 1] if at else None)
        tails[at : at + 1] = [place]
        ends[at : at + 1] = [index]
    chosen: list[tuple[int, int]] = []
    last = ends[-1] if ends else None
    while last is not None:
        chosen.append(pairs[last])
        last = before[last]
    return chosen[::-1]
