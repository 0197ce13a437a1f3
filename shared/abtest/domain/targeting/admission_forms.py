"""Another form of an expression: it holds on the same texts, and engines find so much sooner that it does not hold.

Only whether a text matches is asked. So `.*sale` is `sale`, and in `shop.*sale.*now` the first `shop` of a line and
the first `sale` behind it are as good as any other: the dots read whatever lies between. Each such step is written as a
lookahead that captures, then the capture, which no engine takes back.

For a loop over a set X behind a piece A: all of A's letters must be in X, and no match of A may lie inside another one
(then the leftmost match of A ends first). What the loop reads begins within one run of letters of X, so a search need
try each run once. For a loop over Y behind B behind a loop over X: X and B's letters must be in Y.
"""

from dataclasses import dataclass, replace
from itertools import product

from abtest.domain.targeting.admission_syntax import (
    Assertion,
    Choice,
    Node,
    Ranges,
    Repeat,
    Sequence,
    Units,
    complement,
    overlap,
    within,
)
from abtest.domain.targeting.admission_writing import units, written

MOST_WORDS = 32
LONGEST_WORD = 60

Word = tuple[Ranges, ...]

_NEVER = Units((), "[]")


@dataclass(frozen=True, slots=True)
class Form:
    """`source` is given to engines; `tree` goes through at least as many steps as they do with it."""

    source: str
    tree: Node


def cheaper_form(tree: Node) -> Form:
    """The form of an expression whose letters are all outside the surrogates."""
    options = tree.options if isinstance(tree, Choice) else (tree,)
    writer = _Writer()
    for option in options:
        writer.option(_without_ends(_flat(option)))
    return Form("|".join(writer.sources), Choice(tuple(writer.trees)))


def _flat(node: Node) -> list[Node]:
    if isinstance(node, Sequence):
        return [each for item in node.items for each in _flat(item)]
    return [node]


def _without_ends(items: list[Node]) -> list[Node]:
    """In front and at the end as few rounds of a repetition as may be: a search can as well begin behind the others."""
    for end in (0, -1):
        while items and isinstance(outer := items[end], Repeat) and outer.least != outer.most and not _asserts(outer):
            fewest = [replace(outer, most=outer.least)] if outer.least > 1 else _flat(outer.body) * outer.least
            items = [*fewest, *items[1:]] if end == 0 else [*items[:-1], *fewest]
    return items


def _asserts(node: Node) -> bool:
    if isinstance(node, Repeat):
        return _asserts(node.body)
    parts = node.items if isinstance(node, Sequence) else node.options if isinstance(node, Choice) else ()
    return isinstance(node, Assertion) or any(_asserts(part) for part in parts)


def _loop(node: Node) -> Repeat | None:
    """A repetition without end of one set."""
    if isinstance(node, Repeat) and node.most is None and isinstance(node.body, Units):
        return node
    return None


def _cut(items: list[Node]) -> tuple[list[list[Node]], list[Repeat]]:
    """The loops over sets, and what stands before, between and behind them."""
    pieces: list[list[Node]] = [[]]
    loops: list[Repeat] = []
    for item in items:
        if loop := _loop(item):
            loops.append(loop)
            pieces.append([])
        else:
            pieces[-1].append(item)
    return pieces, loops


class _Writer:
    """Writes alternatives one after another, numbering captures through all of them."""

    def __init__(self) -> None:
        self.sources: list[str] = []
        self.trees: list[Node] = []
        self._captures = 0

    def option(self, items: list[Node]) -> None:
        """One alternative of the whole."""
        self.sources.append("")
        self._nodes: list[Node] = []
        pieces, loops = _cut(items)
        onward = [*map(_set, loops), None]
        if choice := _first_is_best(pieces[0], onward[0]):
            self._from_each_run(choice, onward[0] or ())
        else:
            self._plain(pieces[0])
        for loop, piece, behind in zip(loops, pieces[1:], onward[1:], strict=True):
            choice = _first_is_best(piece, behind) if behind and within(_set(loop), behind) else None
            if choice:
                self._plain([replace(loop, most=loop.least)] if loop.least else [])
                self._skip_to(choice, _set(loop))
            else:
                self._plain([loop, *piece])
        self.trees.append(Sequence(tuple(self._nodes)))

    def _plain(self, nodes: list[Node]) -> None:
        self.sources[-1] += "".join(map(written, nodes))
        self._nodes += nodes

    def _from_each_run(self, choice: Node, ranges: Ranges) -> None:
        outside = complement(ranges)
        self.sources[-1] += f"(?:^|{units(outside)})"
        self._nodes.append(Choice((Assertion("^"), Units(outside, ""))))
        self._skip_to(choice, ranges)

    def _skip_to(self, choice: Node, ranges: Ranges) -> None:
        """The first place of the choice; the tree says what is read on the way, and where that ends."""
        self._captures += 1
        self.sources[-1] += f"(?=({units(ranges)}*?{written(choice)}))\\{self._captures}(?:)"
        way = Repeat(Units(ranges, ""), 0, None, "")
        self._nodes.append(Choice((Sequence((way, choice, _NEVER)), choice)))


def _set(loop: Repeat) -> Ranges:
    return loop.body.ranges if isinstance(loop.body, Units) else ()


def _first_is_best(piece: list[Node], ranges: Ranges | None) -> Node | None:
    """The piece as a choice of words, shortest first, if the match that begins first is the best one before a loop."""
    words = None if ranges is None else _words(Sequence(tuple(piece)))
    if not words or not all(words) or not all(within(letter, ranges or ()) for word in words for letter in word):
        return None
    if any(_lies_inside(one, other) for one in words for other in words):
        return None
    options = [Sequence(tuple(Units(letter, "") for letter in word)) for word in sorted(words, key=len)]
    return options[0] if len(options) == 1 else Choice(tuple(options))


def _lies_inside(one: Word, other: Word) -> bool:
    """Whether a match of the one can lie within a match of the other, neither beginning nor ending it."""
    return any(
        all(overlap(mine, its) for mine, its in zip(one, other[start:], strict=False))
        for start in range(1, len(other) - len(one))
    )


def _words(node: Node) -> list[Word] | None:
    """Every way to read the node, each a set of letters for each place; None when they are many, long or endless."""
    if isinstance(node, Units):
        return [(node.ranges,)]
    if isinstance(node, Sequence):
        return _joined(node.items)
    if isinstance(node, Choice):
        found = [_words(option) for option in node.options]
        return _few([word for words in found for word in words or ()]) if all(words for words in found) else None
    if isinstance(node, Repeat) and node.most is not None and node.most <= LONGEST_WORD:
        counts = [_joined((node.body,) * count) for count in range(node.least, node.most + 1)]
        return _few([word for words in counts for word in words or ()]) if all(words for words in counts) else None
    return None


def _joined(items: tuple[Node, ...]) -> list[Word] | None:
    words: list[Word] = [()]
    for item in items:
        more = _words(item)
        if more is None or _few(words) is None:
            return None
        words = [one + other for one, other in product(words, more)]
    return _few(words)


def _few(words: list[Word]) -> list[Word] | None:
    return words if len(words) <= MOST_WORDS and all(len(word) <= LONGEST_WORD for word in words) else None
