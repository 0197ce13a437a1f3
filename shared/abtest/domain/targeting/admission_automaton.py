"""Position automaton of an expression: every way in which a backtracking engine can go on, and in how many ways.

After Glushkov: one state for each place of a set of units, repetitions with counts written out. Edges count their ways,
because `(a*)*` goes from `a` to `a` in two. Assertions are states of their own until `_resolved` takes them out.
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
"""States, each with the number of ways that lead there."""

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
    """`masks[q]`: the letters (bits) into q; `follow[q]`: where it goes on; `accepting`: where all ways end well."""

    masks: list[int]
    follow: list[Ways]
    accepting: frozenset[int]
    loops: list[Loop]
    doubled: Loop | None
    """A repetition that goes from one state to another in a way that another repetition goes, too."""


@dataclass(slots=True)
class _Part:
    """A piece of the expression: where it begins and ends, and in how many ways it is empty."""

    empty: int
    first: Ways = field(default_factory=dict)
    last: Ways = field(default_factory=dict)


def automaton(tree: Node) -> Automaton:
    """The automaton of a search for the expression. Raises NotReadableError when it is too large."""
    builder = _Builder()
    return builder.finished(builder.part(tree))


class _Builder:
    def __init__(self) -> None:
        self._ranges: list[Ranges] = [(), EVERYTHING]
        self._kinds: dict[int, str] = {}
        self._follow: list[Ways] = [{}, {}]
        self._edges = 0
        self._parts = 0
        self._loops: list[Loop] = []
        self._doubled: Loop | None = None

    def part(self, node: Node) -> _Part:
        """The piece's own states, made anew at each call. Raises NotReadableError when there are too many."""
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise NotReadableError("its repetitions, written out, are too long")
        if isinstance(node, Units):
            return self._state(node.ranges)
        if isinstance(node, Assertion):
            return self._assertion(node)
        if isinstance(node, Sequence):
            return self._joined([self.part(item) for item in node.items])
        if isinstance(node, Choice):
            return self._one_of([self.part(option) for option in node.options])
        return self._repeated(node)

    def _state(self, ranges: Ranges) -> _Part:
        if len(self._ranges) >= MOST_STATES:
            raise NotReadableError(f"it stands for more than {MOST_STATES} places, repetitions written out")
        self._ranges.append(ranges)
        self._follow.append({})
        here = len(self._ranges) - 1
        return _Part(0, {here: 1}, {here: 1})

    def _assertion(self, node: Assertion) -> _Part:
        # `$` is a state that no letter reaches: behind it nothing can be read.
        part = self._state(())
        if node.kind != "$":
            self._kinds[next(iter(part.first))] = _LINE_START if node.kind == "^" else _BOUNDARY
        return part

    def _joined(self, parts: Iterable[_Part]) -> _Part:
        whole = _Part(1)
        for part in parts:
            self._connect(whole.last, part.first)
            if whole.empty:
                _add(whole.first, part.first, whole.empty)
            last = dict(part.last)
            if part.empty:
                _add(last, whole.last, part.empty)
            whole.last = last
            whole.empty *= part.empty
        return whole

    def _one_of(self, parts: list[_Part]) -> _Part:
        whole = _Part(sum(part.empty for part in parts))
        for part in parts:
            _add(whole.first, part.first)
            _add(whole.last, part.last)
        return whole

    def _repeated(self, node: Repeat) -> _Part:
        if node.most is None:
            return self._without_end(node)
        parts = [self.part(node.body) for _ in range(node.least)]
        rest = _Part(1)
        for _ in range(node.most - node.least):
            rest = self._joined([self.part(node.body), rest])
            rest.empty = 1  # an engine gives up a repetition that read nothing
        return self._joined([*parts, rest])

    def _without_end(self, node: Repeat) -> _Part:
        parts = [self.part(node.body) for _ in range(node.least - 1)]
        begin = len(self._ranges)
        looped = self.part(node.body)
        loop = Loop(begin, len(self._ranges), node.source)
        self._loops.append(loop)
        self._loop_back(looped, loop)
        if node.least == 0:
            looped.empty = 1
        return self._joined([*parts, looped])

    def _loop_back(self, looped: _Part, loop: Loop) -> None:
        for end, ways in looped.last.items():
            for start, more in looped.first.items():
                doubles = start in self._follow[end] or ways * more > 1
                if doubles and self._doubled is None and self._ranges[start]:
                    self._doubled = loop
        self._connect(looped.last, looped.first)

    def _connect(self, ends: Ways, starts: Ways) -> None:
        self._edges += len(ends) * len(starts)
        if self._edges > MOST_EDGES:
            raise NotReadableError("its repetitions and options can follow each other in too many ways")
        for end, ways in ends.items():
            follow = self._follow[end]
            for start, more in starts.items():
                follow[start] = follow.get(start, 0) + ways * more

    def finished(self, whole: _Part) -> Automaton:
        """Assertions taken out, the search put in front."""
        beginning = self._resolved(whole.first, at_start=True)
        searching = self._resolved(whole.first, at_start=False)
        follow = [self._resolved(ways, at_start=False) for ways in self._follow]
        # An expression that matches nothing at all is done at the first attempt.
        follow[BEGINNING] = beginning | ({SEARCH: 1} if searching and not whole.empty else {})
        follow[SEARCH] = searching | ({SEARCH: 1} if searching else {})
        accepting = {state for state in whole.last if self._ranges[state]}
        if whole.empty:
            accepting |= {BEGINNING}
        return Automaton(_masks(self._ranges), follow, _surely(accepting, follow), self._loops, self._doubled)

    def _resolved(self, ways: Ways, *, at_start: bool) -> Ways:
        """What follows when `^` holds only at the start and a boundary may hold or not."""
        found: Ways = {}
        waiting, seen = [(ways, 1)], set[int]()
        while waiting:
            here, times = waiting.pop()
            for state, count in here.items():
                kind = self._kinds.get(state)
                if kind is None:
                    found[state] = found.get(state, 0) + count * times
                elif state not in seen and (kind == _BOUNDARY or at_start):
                    seen.add(state)
                    waiting.append((self._follow[state], count * times))
        return {state: count for state, count in found.items() if self._ranges[state]}


def _surely(accepting: set[int], follow: list[Ways]) -> frozenset[int]:
    """States from which every way accepts. Where some do not, an engine may try them first, for long."""
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


def _add(ways: Ways, more: Ways, times: int = 1) -> None:
    for state, count in more.items():
        ways[state] = ways.get(state, 0) + count * times


def _masks(ranges: list[Ranges]) -> list[int]:
    """Each set as bits; a bit stands for a run of units that no set tells apart."""
    cuts = sorted({cut for each in ranges for low, high in each for cut in (low, high + 1)})
    order = {cut: number for number, cut in enumerate(cuts)}
    masks: dict[Ranges, int] = defaultdict(int)
    for each in set(ranges):
        for low, high in each:
            masks[each] |= (1 << order[high + 1]) - (1 << order[low])
    return [masks[each] for each in ranges]
