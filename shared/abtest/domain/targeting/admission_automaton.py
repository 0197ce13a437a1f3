"""Position automaton of an expression: every way in which a backtracking engine can go on, and in how many ways.

After Glushkov: one state for each place of a set of units, repetitions with counts written out. Edges count their ways,
because `(a*)*` goes from `a` to `a` in two. Assertions are states of their own until `resolved` removes them.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from abtest.domain.targeting.admission_syntax import (
    EVERYTHING,
    Assertion,
    Choice,
    Node,
    NotReadableError,
    Ranges,
    Repeat,
    Sequence,
    Units,
)

MOST_STATES = 600
"""Places of units, repetitions written out."""

MOST_EDGES = 20_000
MOST_PARTS = 4_000

Ways = dict[int, int]
"""States with the number of ways that lead to each."""

BEGINNING = 0
"""The state before the text."""

SEARCH = 1
"""The state that skips text until an attempt begins."""

_LINE_START = "^"
_BOUNDARY = "\\b"


@dataclass(frozen=True, slots=True)
class Loop:
    """A repetition without end: its states are `first` up to `last`, excluded."""

    first: int
    last: int
    source: str


@dataclass(frozen=True, slots=True)
class Automaton:
    """`masks[q]`: the letters (bits) into q; `follow[q]`: the states after it; `accepting`: where all ways match."""

    masks: list[int]
    follow: list[Ways]
    accepting: frozenset[int]
    loops: list[Loop]
    doubled: Loop | None
    """A repetition that goes from one state to another in a way that another repetition goes, too."""


@dataclass(slots=True)
class Part:
    """Piece of the expression: where it begins and ends, and in how many ways it is empty."""

    empty: int
    first: Ways = field(default_factory=dict)
    last: Ways = field(default_factory=dict)


def automaton(tree: Node) -> Automaton:
    """Return the automaton of a search for the expression. Raises NotReadableError when it is too large."""
    builder = Builder()
    return builder.finished(builder.part(tree))


class Builder:
    """Glushkov construction: states and edges of all parts, numbered as they are made."""

    def __init__(self) -> None:
        # States 0 and 1 are BEGINNING and SEARCH.
        self._ranges: list[Ranges] = [(), EVERYTHING]
        self._kinds: dict[int, str] = {}
        self._follow: list[Ways] = [{}, {}]
        self._edges = 0
        self._parts = 0
        self._loops: list[Loop] = []
        self._doubled: Loop | None = None

    def part(self, node: Node) -> Part:
        """Make new states for a piece, at each call. Raises NotReadableError when there are too many."""
        self._parts += 1
        # Counts inside counts multiply: `(((a{1000}){1000}){1000})` would never be written out.
        if self._parts > MOST_PARTS:
            raise NotReadableError("its repetitions, written out, are too long")
        if isinstance(node, Units):
            return self.state(node.ranges)
        if isinstance(node, Assertion):
            # `$` is a state that no letter reaches: behind it nothing can be read.
            part = self.state(())
            if node.kind != "$":
                self._kinds[next(iter(part.first))] = _LINE_START if node.kind == "^" else _BOUNDARY
            return part
        if isinstance(node, Sequence):
            return self.concatenated([self.part(item) for item in node.items])
        if isinstance(node, Choice):
            return self.alternatives([self.part(option) for option in node.options])
        return self.repeated(node)

    def alternatives(self, parts: list[Part]) -> Part:
        """Join alternatives: one of the parts is taken."""
        whole = Part(sum(part.empty for part in parts))
        for part in parts:
            add_ways(whole.first, part.first)
            add_ways(whole.last, part.last)
        return whole

    def state(self, ranges: Ranges) -> Part:
        """Make one state for a set of units. Raises NotReadableError at more than MOST_STATES."""
        if len(self._ranges) >= MOST_STATES:
            raise NotReadableError(f"it has more than {MOST_STATES} places once its repetitions are written out")
        self._ranges.append(ranges)
        self._follow.append({})
        here = len(self._ranges) - 1
        return Part(0, {here: 1}, {here: 1})

    def concatenated(self, parts: Iterable[Part]) -> Part:
        """Join parts one after another."""
        whole = Part(1)
        for part in parts:
            self.connect(whole.last, part.first)
            if whole.empty:
                add_ways(whole.first, part.first, whole.empty)
            last = dict(part.last)
            if part.empty:
                add_ways(last, whole.last, part.empty)
            whole.last = last
            whole.empty *= part.empty
        return whole

    def repeated(self, node: Repeat) -> Part:
        """Write a repetition out, with a loop where it has no end."""
        if node.most is None:
            parts = [self.part(node.body) for _ in range(node.least - 1)]
            return self.concatenated([*parts, self.loop(node)])
        parts = [self.part(node.body) for _ in range(node.least)]
        rest = Part(1)
        for _ in range(node.most - node.least):
            # Nested, as in `(a(a)?)?`. Side by side, `a?a?` would match `a` in two ways; a count has only one.
            rest = self.concatenated([self.part(node.body), rest])
            rest.empty = 1  # an engine gives up a repetition that read nothing
        return self.concatenated([*parts, rest])

    def loop(self, node: Repeat) -> Part:
        """Lead the ends of one round back to its starts, and note a loop that doubles a way."""
        begin = len(self._ranges)
        round_ = self.part(node.body)
        loop = Loop(begin, len(self._ranges), node.source)
        self._loops.append(loop)
        for end, ways in round_.last.items():
            for start, more in round_.first.items():
                # A step that exists before this loop is added belongs to an inner loop, as in `(a*)*`.
                doubles = start in self._follow[end] or ways * more > 1
                if doubles and self._doubled is None and self._ranges[start]:
                    self._doubled = loop
        self.connect(round_.last, round_.first)
        if node.least == 0:
            round_.empty = 1
        return round_

    def connect(self, ends: Ways, starts: Ways) -> None:
        """Add an edge from each end to each start. Raises NotReadableError at more than MOST_EDGES."""
        self._edges += len(ends) * len(starts)
        # Before the edges are made: their number is a product and could exhaust memory.
        if self._edges > MOST_EDGES:
            raise NotReadableError("its repetitions and options can follow each other in too many ways")
        for end, ways in ends.items():
            follow = self._follow[end]
            for start, more in starts.items():
                follow[start] = follow.get(start, 0) + ways * more

    def finished(self, whole: Part) -> Automaton:
        """Remove the assertions and put the search in front."""
        beginning = self.resolved(whole.first, at_start=True)
        searching = self.resolved(whole.first, at_start=False)
        follow = [self.resolved(ways, at_start=False) for ways in self._follow]
        # An expression that matches nothing at all is done at the first attempt.
        follow[BEGINNING] = beginning | ({SEARCH: 1} if searching and not whole.empty else {})
        follow[SEARCH] = searching | ({SEARCH: 1} if searching else {})
        # Assertions have no letters and may fail, so an expression that ends in `$` does not surely accept.
        accepting = {state for state in whole.last if self._ranges[state]}
        if whole.empty:
            accepting |= {BEGINNING}
        return Automaton(
            letter_masks(self._ranges), follow, surely_accepting(accepting, follow), self._loops, self._doubled
        )

    def resolved(self, ways: Ways, *, at_start: bool) -> Ways:
        """Return the states that follow when `^` holds only at the start and a boundary may hold or not."""
        reached: Ways = {}
        waiting, seen = [(ways, 1)], set[int]()
        while waiting:
            here, times = waiting.pop()
            for state, count in here.items():
                kind = self._kinds.get(state)
                if kind is None:
                    reached[state] = reached.get(state, 0) + count * times
                # A boundary is taken as passable: an upper bound may count ways that a text rules out.
                elif state not in seen and (kind == _BOUNDARY or at_start):
                    seen.add(state)
                    waiting.append((self._follow[state], count * times))
        return {state: count for state, count in reached.items() if self._ranges[state]}


def surely_accepting(accepting: set[int], follow: list[Ways]) -> frozenset[int]:
    """Return the states from which every way accepts. Where one does not, an engine may try it first, for long."""
    before: dict[int, list[int]] = defaultdict(list)
    for state, ways in enumerate(follow):
        for following in ways:
            before[following].append(state)
    waiting = [state for state in range(len(follow)) if state not in accepting]
    left = set(accepting)
    while waiting:
        for state in before[waiting.pop()]:
            if state in left:
                left.remove(state)
                waiting.append(state)
    return frozenset(left)


def add_ways(ways: Ways, more: Ways, times: int = 1) -> None:
    """Add ways to others in place, each counted so many times."""
    for state, count in more.items():
        ways[state] = ways.get(state, 0) + count * times


def letter_masks(ranges: list[Ranges]) -> list[int]:
    """Return each set as bits, one for each run of units that no set distinguishes."""
    cuts = sorted({cut for each in ranges for low, high in each for cut in (low, high + 1)})
    order = {cut: number for number, cut in enumerate(cuts)}
    masks: dict[Ranges, int] = defaultdict(int)
    for each in set(ranges):
        for low, high in each:
            masks[each] |= (1 << order[high + 1]) - (1 << order[low])
    return [masks[each] for each in ranges]
