"""How long a backtracking engine can take: whether exponentially, and else at most how many steps.

An engine that finds no match walks every path of the automaton over the text. Their number grows exponentially exactly
when a state can come back to itself over one text in two ways (Weber and Seidl 1991). Otherwise it is bounded state by
state: `standing[q]`, how many paths can stand in q after t letters, is a polynomial in t. States that no text reaches
together are never added up. A loop gathers what flows into it while it goes on; what can flow in only every k letters
counts 1/k. Reaching an accepting state ends the search, so no path of a long search visits one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from abtest.domain.targeting.admission_automaton import BEGINNING, Automaton, Loop, Ways
from abtest.domain.targeting.admission_syntax import NotReadableError

TEXT_LENGTH = 2000
"""Code units for which an answer within 10 ms is promised."""

MOST_PAIRS = 15_000
"""Steps of the analysis itself; what needs more is refused."""

_DEEPEST_POLYNOMIAL = 8

Polynomial = tuple[float, ...]
"""Coefficients of t^k / k!, so that integrating moves them by one."""


def exponential_loop(machine: Automaton) -> Loop | None:
    """A repetition that can match one text in exponentially many ways."""
    for component in _components(machine.follow):
        if len(component) > 1 or component[0] in machine.follow[component[0]]:
            found = _ambiguous(machine, frozenset(component))
            if found:
                return _smallest_loop(machine, found)
    return None


def _smallest_loop(machine: Automaton, states: frozenset[int]) -> Loop | None:
    around = [loop for loop in machine.loops if all(loop.first <= state < loop.last for state in states)]
    if machine.doubled in around:
        return machine.doubled
    return min(around, key=lambda loop: loop.last - loop.first, default=None)


def _ambiguous(machine: Automaton, component: frozenset[int]) -> frozenset[int] | None:
    """States of the component that two paths over one text part at and meet again."""
    inside = {state: {n: w for n, w in machine.follow[state].items() if n in component} for state in component}
    for state, follow in inside.items():
        if any(ways > 1 for ways in follow.values()):
            return frozenset({state, *(n for n, ways in follow.items() if ways > 1)})
    for one, other, *ends in _pairs([(state, state) for state in component], inside, machine.masks):
        if one != other and ends[0] == ends[1]:
            return frozenset({one, other, ends[0]})
    return None


def _pairs(
    starts: Iterable[tuple[int, int]], follow: Mapping[int, Mapping[int, int]], masks: list[int]
) -> Iterator[tuple[int, int, int, int]]:
    """Each step (p, q, r, s) from a pair of states that one text reaches to the next such pair."""
    waiting = list(starts)
    seen, steps = set(waiting), 0
    while waiting:
        one, other = waiting.pop()
        for left in follow[one]:
            for right in follow[other]:
                steps += 1
                if steps > MOST_PAIRS:
                    raise NotReadableError("its repetitions and options overlap in too many ways to be checked")
                if masks[left] & masks[right]:
                    yield one, other, left, right
                    pair = (left, right) if left < right else (right, left)
                    if pair not in seen:
                        seen.add(pair)
                        waiting.append(pair)


@dataclass(frozen=True, slots=True)
class Cost:
    """A bound of the steps of a failing search, and the repetitions that share text with what stands before them."""

    steps: float
    shared: tuple[str, ...] = ()


def cost(machine: Automaton) -> Cost:
    """What a search in TEXT_LENGTH code units costs at most."""
    if BEGINNING in machine.accepting:
        return Cost(1.0)
    bound = _Bound(machine)
    steps = bound.steps()
    loops = (_smallest_loop(machine, frozenset(component)) for component in bound.gathering)
    return Cost(steps, tuple(dict.fromkeys(loop.source for loop in loops if loop)))


class _Bound:
    def __init__(self, machine: Automaton) -> None:
        done = machine.accepting
        self._follow = [{n: w for n, w in ways.items() if n not in done} for ways in machine.follow]
        self._tries = [1.0 + sum(ways.values()) for ways in machine.follow]
        self._masks = machine.masks
        self._together = self._reached_together()
        self._standing: dict[int, Polynomial] = {}
        self.gathering: list[list[int]] = []
        self._before: list[Ways] = [{} for _ in self._follow]
        for state, ways in enumerate(self._follow):
            for following, count in ways.items():
                self._before[following][state] = count

    def _reached_together(self) -> list[int]:
        """For each state the bits of those that one text can reach together with it."""
        together = [1 << state for state in range(len(self._follow))]
        follow = dict(enumerate(self._follow))
        for _, _, left, right in _pairs([(BEGINNING, BEGINNING)], follow, self._masks):
            together[left] |= 1 << right
            together[right] |= 1 << left
        return together

    def steps(self) -> float:
        """All paths, over all letters of the text, each with what is tried at its end."""
        for component in reversed(_components(self._follow)):
            standing = self._standing_in(component)
            for state in component:
                self._standing[state] = standing
        weighted = {state: _times(each, self._tries[state]) for state, each in self._standing.items() if each}
        return _value(_integral(self._at_most(weighted)))

    def _standing_in(self, component: list[int]) -> Polynomial:
        if component == [BEGINNING]:
            return (1.0,)
        members = frozenset(component)
        inflow = {
            state: _times(self._standing[state], sum(ways for member, ways in self._edges_into(members, state)))
            for state in {before for member in component for before in self._before[member]} - members
            if state in self._standing
        }
        if not _goes_round(component, self._follow):
            return self._at_most(inflow)
        once = self._at_most(inflow)
        gathered = {state: each for state, each in inflow.items() if self._joins(state, members)}
        if not gathered:
            return once
        self.gathering.append(component)
        spread = _sum(_times(each, 1 / self._gap(state)) for state, each in gathered.items())
        at_once = self._at_most(gathered)
        more = _integral(min(spread, at_once, key=_value))
        return _sum([once, more])

    def _edges_into(self, members: frozenset[int], state: int) -> list[tuple[int, int]]:
        return [(n, ways) for n, ways in self._follow[state].items() if n in members]

    def _joins(self, state: int, members: frozenset[int]) -> bool:
        """Whether a path can step from the state into the loop while others stay in it."""
        if state == BEGINNING:
            return False
        for inside in members:
            if not self._together[state] >> inside & 1:
                continue
            entered = (self._masks[n] for n in self._follow[state] if n in members)
            stayed = [self._masks[n] for n in self._follow[inside] if n in members]
            if any(one & other for one in entered for other in stayed):
                return True
        return False

    def _gap(self, state: int) -> int:
        """Letters at least between two paths that stand in the state: the way there of what stands behind it."""
        behind, distance = {state}, 0
        reached: set[int] = set()
        while behind:
            distance += 1
            behind = {before for each in behind for before in self._before[each]} - reached
            if any(self._together[state] >> each & 1 for each in behind):
                return distance
            reached |= behind
        return TEXT_LENGTH

    def _at_most(self, standing: Mapping[int, Polynomial]) -> Polynomial:
        """The sum of what can stand together: states are sorted into classes of which only one can be reached."""
        classes: list[tuple[int, Polynomial]] = []
        for state, each in sorted(standing.items(), key=lambda item: -_value(item[1])):
            for at, (bits, largest) in enumerate(classes):
                if not bits & self._together[state]:
                    classes[at] = (bits | 1 << state, largest)
                    break
            else:
                classes.append((1 << state, each))
        return _sum(largest for _, largest in classes)


def _goes_round(component: list[int], follow: list[Ways]) -> bool:
    return len(component) > 1 or component[0] in follow[component[0]]


def _integral(polynomial: Polynomial) -> Polynomial:
    if len(polynomial) > _DEEPEST_POLYNOMIAL:
        return polynomial  # long since too much
    return (0.0, *polynomial)


def _times(polynomial: Polynomial, factor: float) -> Polynomial:
    return tuple(each * factor for each in polynomial)


def _sum(polynomials: Iterable[Polynomial]) -> Polynomial:
    total: list[float] = []
    for polynomial in polynomials:
        total += [0.0] * (len(polynomial) - len(total))
        for power, each in enumerate(polynomial):
            total[power] += each
    return tuple(total)


def _value(polynomial: Polynomial) -> float:
    """At the end of the text."""
    value, factor = 0.0, 1.0
    for power, each in enumerate(polynomial):
        factor *= TEXT_LENGTH / power if power else 1.0
        value += each * factor
    return value


def _components(follow: list[Ways]) -> list[list[int]]:
    """Strongly connected states, those that others lead to first (Tarjan 1972, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    work: list[tuple[int, Iterator[int]]] = []

    def enter(state: int) -> None:
        index[state] = low[state] = len(index)
        stack.append(state)
        on_stack.add(state)
        work.append((state, iter(follow[state])))

    enter(BEGINNING)
    while work:
        state, ahead = work[-1]
        following = next(ahead, None)
        if following is None:
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[state])
            if low[state] == index[state]:
                cut = stack.index(state)
                found.append(stack[cut:])
                on_stack -= set(stack[cut:])
                del stack[cut:]
        elif following not in index:
            enter(following)
        elif following in on_stack:
            low[state] = min(low[state], index[following])
    return found
