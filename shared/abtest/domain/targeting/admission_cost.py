"""Time that a backtracking engine can take: exponential, or else a bound of its steps.

An engine that finds no match walks every path of the automaton over the text. Their number grows exponentially exactly
when a state can come back to itself over one text in two ways (Weber and Seidl 1991). Otherwise it is bounded state by
state: `paths[q]`, the number of paths that can be in q after t letters, is a polynomial in t. States that no text
reaches together are never added up. A loop gathers what flows into it while it goes on; what can flow in only every k
letters counts 1/k. Reaching an accepting state ends the search, so no path of a long search visits one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from abtest.domain.targeting.admission_automaton import BEGINNING, Automaton, Loop, Ways
from abtest.domain.targeting.admission_syntax import NotReadableError

TEXT_LENGTH = 2000
"""Code units for which an answer within 10 ms is promised."""

MOST_PAIRS = 15_000
"""Steps of the analysis itself; what needs more is refused."""

# 2,000^8 / 8! steps are far beyond every limit, so that a higher degree need not be exact.
_DEEPEST_POLYNOMIAL = 8

Polynomial = tuple[float, ...]
"""Coefficients of t^k / k!, so that integrating moves them by one."""


def exponential_loop(machine: Automaton) -> Loop | None:
    """Return a repetition that can match one text in exponentially many ways."""
    for component in components(machine.follow):
        if len(component) > 1 or component[0] in machine.follow[component[0]]:
            states = ambiguous_states(machine, frozenset(component))
            if states:
                return smallest_loop(machine, states)
    return None


def smallest_loop(machine: Automaton, states: frozenset[int]) -> Loop | None:
    """Return the innermost repetition around these states."""
    around = [loop for loop in machine.loops if all(loop.first <= state < loop.last for state in states)]
    if machine.doubled in around:
        return machine.doubled
    return min(around, key=lambda loop: loop.last - loop.first, default=None)


def ambiguous_states(machine: Automaton, component: frozenset[int]) -> frozenset[int] | None:
    """Return states of the component at which two paths over one text part and meet again."""
    inside = {state: {n: w for n, w in machine.follow[state].items() if n in component} for state in component}
    for state, follow in inside.items():
        if any(ways > 1 for ways in follow.values()):
            return frozenset({state, *(n for n, ways in follow.items() if ways > 1)})
    for one, other, *ends in reached_pairs([(state, state) for state in component], inside, machine.masks):
        # Two ways over one text meet again. Within a component they can be repeated without end.
        if one != other and ends[0] == ends[1]:
            return frozenset({one, other, ends[0]})
    return None


def reached_pairs(
    starts: Iterable[tuple[int, int]], follow: Mapping[int, Mapping[int, int]], masks: list[int]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield each step (p, q, r, s) from a pair of states that one text reaches to the next such pair."""
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
                    # The order of a pair means nothing; one of both halves the work.
                    pair = (left, right) if left < right else (right, left)
                    if pair not in seen:
                        seen.add(pair)
                        waiting.append(pair)


@dataclass(frozen=True, slots=True)
class Cost:
    """Bound of the steps of a failing search, and the repetitions that share text with the piece before them."""

    steps: float
    shared: tuple[str, ...] = ()


def cost(machine: Automaton) -> Cost:
    """Return the highest cost of a search in TEXT_LENGTH code units."""
    # It matches the empty text, so the first attempt of a search succeeds.
    if BEGINNING in machine.accepting:
        return Cost(1.0)
    bound = Bound(machine)
    steps = bound.steps()
    loops = (smallest_loop(machine, frozenset(component)) for component in bound.gathering)
    return Cost(steps, tuple(dict.fromkeys(loop.source for loop in loops if loop)))


class Bound:
    """Bound of the paths through an automaton, component by component."""

    def __init__(self, machine: Automaton) -> None:
        done = machine.accepting
        self._follow = [{n: w for n, w in ways.items() if n not in done} for ways in machine.follow]
        self._tries = [1.0 + sum(ways.values()) for ways in machine.follow]
        self._masks = machine.masks
        # For each state the bits of those that one text can reach together with it.
        self._together = [1 << state for state in range(len(self._follow))]
        for _, _, left, right in reached_pairs([(BEGINNING, BEGINNING)], dict(enumerate(self._follow)), self._masks):
            self._together[left] |= 1 << right
            self._together[right] |= 1 << left
        self._paths: dict[int, Polynomial] = {}
        self.gathering: list[list[int]] = []
        self._before: list[Ways] = [{} for _ in self._follow]
        for state, ways in enumerate(self._follow):
            for following, count in ways.items():
                self._before[following][state] = count

    def steps(self) -> float:
        """Sum all paths over all letters of the text, each with the ways that are tried at its end."""
        for component in reversed(components(self._follow)):
            paths = self.paths_in(component)
            for state in component:
                self._paths[state] = paths
        weighted = {state: scaled(each, self._tries[state]) for state, each in self._paths.items() if each}
        return final_value(integral(self.at_most(weighted)))

    def paths_in(self, component: list[int]) -> Polynomial:
        """Bound the paths in a component from those in the components before it."""
        if component == [BEGINNING]:
            return (1.0,)
        members = frozenset(component)
        inflow = {
            state: scaled(self._paths[state], sum(ways for n, ways in self._follow[state].items() if n in members))
            for state in {before for member in component for before in self._before[member]} - members
            if state in self._paths
        }
        once = self.at_most(inflow)
        is_loop = len(component) > 1 or component[0] in self._follow[component[0]]
        gathered = {state: each for state, each in inflow.items() if is_loop and self.joins(state, members)}
        if not gathered:
            return once
        self.gathering.append(component)
        spread = total(scaled(each, 1 / self.gap(state)) for state, each in gathered.items())
        at_once = self.at_most(gathered)
        # Both are upper bounds, so the smaller one holds.
        return total([once, integral(min(spread, at_once, key=final_value))])

    def joins(self, state: int, members: frozenset[int]) -> bool:
        """Return whether a path can step from the state into the loop while others stay in it."""
        # It is left with the first letter, before any path is in a loop.
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

    def gap(self, state: int) -> int:
        """Return the least number of letters between two paths in the state, walking back from it."""
        behind, distance = {state}, 0
        reached: set[int] = set()
        while behind:
            distance += 1
            behind = {before for each in behind for before in self._before[each]} - reached
            if any(self._together[state] >> each & 1 for each in behind):
                return distance
            reached |= behind
        return TEXT_LENGTH

    def at_most(self, paths: Mapping[int, Polynomial]) -> Polynomial:
        """Bound the paths in states that one text can reach together.

        States are sorted into classes; of each class a text reaches only one state.
        """
        classes: list[tuple[int, Polynomial]] = []
        # The largest first, so that the first member of a class bounds all that join it.
        for state, each in sorted(paths.items(), key=lambda item: -final_value(item[1])):
            for at, (bits, largest) in enumerate(classes):
                if not bits & self._together[state]:
                    classes[at] = (bits | 1 << state, largest)
                    break
            else:
                classes.append((1 << state, each))
        return total(largest for _, largest in classes)


def integral(polynomial: Polynomial) -> Polynomial:
    """Return the integral from 0, or the polynomial itself where its degree is already too high to be admitted."""
    return polynomial if len(polynomial) > _DEEPEST_POLYNOMIAL else (0.0, *polynomial)


def scaled(polynomial: Polynomial, factor: float) -> Polynomial:
    """Return the polynomial times a factor."""
    return tuple(each * factor for each in polynomial)


def total(polynomials: Iterable[Polynomial]) -> Polynomial:
    """Return the sum of polynomials."""
    coefficients: list[float] = []
    for polynomial in polynomials:
        coefficients += [0.0] * (len(polynomial) - len(coefficients))
        for power, each in enumerate(polynomial):
            coefficients[power] += each
    return tuple(coefficients)


def final_value(polynomial: Polynomial) -> float:
    """Return the value at t = TEXT_LENGTH."""
    value, factor = 0.0, 1.0
    for power, each in enumerate(polynomial):
        factor *= TEXT_LENGTH / power if power else 1.0
        value += each * factor
    return value


def components(follow: list[Ways]) -> list[list[int]]:
    """Return the strongly connected components, those that others lead to first (Tarjan 1972, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    result: list[list[int]] = []
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
                result.append(stack[cut:])
                on_stack -= set(stack[cut:])
                del stack[cut:]
        elif following not in index:
            enter(following)
        elif following in on_stack:
            low[state] = min(low[state], index[following])
    return result
