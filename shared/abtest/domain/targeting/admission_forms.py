"""Cheaper forms of expressions: they match the same texts, and a search that fails ends sooner.

Only the yes or no of a match counts. So `.*sale` is `sale`, and in `shop.*sale.*now` the first `shop` of a line and the
first `sale` behind it are as good as any other: the dots read everything between. Each such step is written as a
lookahead that captures, then the capture, which no engine takes back.

For a loop over a set X behind a piece A: all of A's letters must be in X, and no match of A may be inside another one
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
    """Source for engines, and a tree that takes at least as many steps as they do with it."""

    source: str
    tree: Node


def cheaper_form(tree: Node) -> Form:
    """Return the form of an expression whose letters are all outside the surrogates."""
    options = tree.options if isinstance(tree, Choice) else (tree,)
    writer = Writer()
    for option in options:
        writer.option(without_ends(flattened(option)))
    return Form("|".join(writer.sources), Choice(tuple(writer.trees)))


def flattened(node: Node) -> list[Node]:
    """Return the items of a sequence, with those of sequences inside it; another node is the only item."""
    if isinstance(node, Sequence):
        return [each for item in node.items for each in flattened(item)]
    return [node]


def without_ends(items: list[Node]) -> list[Node]:
    """Return the items with the fewest rounds of repetitions at both ends: a search can begin behind the others."""
    for end in (0, -1):
        # Not with an assertion inside: the rounds that are dropped may be those in which it holds.
        while items and isinstance(outer := items[end], Repeat) and outer.least != outer.most and not asserts(outer):
            fewest = [replace(outer, most=outer.least)] if outer.least > 1 else flattened(outer.body) * outer.least
            items = [*fewest, *items[1:]] if end == 0 else [*items[:-1], *fewest]
    return items


def asserts(node: Node) -> bool:
    """Return whether the node has an assertion in it."""
    if isinstance(node, Repeat):
        return asserts(node.body)
    parts = node.items if isinstance(node, Sequence) else node.options if isinstance(node, Choice) else ()
    return isinstance(node, Assertion) or any(asserts(part) for part in parts)


def split_at_loops(items: list[Node]) -> tuple[list[list[Node]], list[tuple[Repeat, Ranges]]]:
    """Return the pieces before, between and behind the loops, and each loop with its set.

    A loop is a repetition without end of one set of units.
    """
    pieces: list[list[Node]] = [[]]
    loops: list[tuple[Repeat, Ranges]] = []
    for item in items:
        if isinstance(item, Repeat) and item.most is None and isinstance(item.body, Units):
            loops.append((item, item.body.ranges))
            pieces.append([])
        else:
            pieces[-1].append(item)
    return pieces, loops


class Writer:
    """Writer of alternatives one after another, with captures numbered through all of them."""

    def __init__(self) -> None:
        self.sources: list[str] = []
        self.trees: list[Node] = []
        self._captures = 0

    def option(self, items: list[Node]) -> None:
        """Write one alternative of the whole."""
        self.sources.append("")
        self._nodes: list[Node] = []
        pieces, loops = split_at_loops(items)
        sets = [*(ranges for _, ranges in loops), ()]
        if loops and (choice := first_is_best(pieces[0], sets[0])):
            # What the loop reads begins within one run of its set, so the search tries each run once.
            outside = complement(sets[0])
            self.sources[-1] += f"(?:^|{units(outside)})"
            self._nodes.append(Choice((Assertion("^"), Units(outside, ""))))
            self.skip_to(choice, sets[0])
        else:
            self.plain(pieces[0])
        for (loop, ranges), piece, behind in zip(loops, pieces[1:], sets[1:], strict=True):
            choice = first_is_best(piece, behind) if behind and within(ranges, behind) else None
            if choice:
                self.plain([replace(loop, most=loop.least)] if loop.least else [])
                self.skip_to(choice, ranges)
            else:
                self.plain([loop, *piece])
        self.trees.append(Sequence(tuple(self._nodes)))

    def plain(self, nodes: list[Node]) -> None:
        """Write nodes as they are."""
        self.sources[-1] += "".join(map(written, nodes))
        self._nodes += nodes

    def skip_to(self, choice: Node, ranges: Ranges) -> None:
        """Write the step to the first place of the choice; the tree has the way there and its end."""
        self._captures += 1
        # `(?:)` ends the backreference: a digit that follows would otherwise become part of its number.
        self.sources[-1] += f"(?=({units(ranges)}*?{written(choice)}))\\{self._captures}(?:)"
        way = Repeat(Units(ranges, ""), 0, None, "")
        # The first option never matches; it only adds the steps of the way to the bound.
        self._nodes.append(Choice((Sequence((way, choice, _NEVER)), choice)))


def first_is_best(piece: list[Node], ranges: Ranges) -> Node | None:
    """Return the piece as a choice of words, shortest first, if its first match is the best one before a loop.

    `ranges` is the set of the loop. None when a later match can be better, or the piece has too many words.
    """
    words = words_of(Sequence(tuple(piece)))
    if not words or not all(words) or not all(within(letter, ranges) for word in words for letter in word):
        return None
    if any(can_be_inside(one, other) for one in words for other in words):
        return None
    options = [Sequence(tuple(Units(letter, "") for letter in word)) for word in sorted(words, key=len)]
    return options[0] if len(options) == 1 else Choice(tuple(options))


def can_be_inside(one: Word, other: Word) -> bool:
    """Return whether a match of one word can be within a match of the other, without its first and last letter."""
    return any(
        all(overlap(mine, its) for mine, its in zip(one, other[start:], strict=False))
        for start in range(1, len(other) - len(one))
    )


def words_of(node: Node) -> list[Word] | None:
    """Return every way to read the node, a set of letters for each place; None when they are many, long or endless."""
    if isinstance(node, Units):
        return [(node.ranges,)]
    if isinstance(node, Sequence):
        return concatenations(node.items)
    if isinstance(node, Choice):
        choices = [words_of(option) for option in node.options]
        return if_few([word for words in choices for word in words or ()]) if all(choices) else None
    if isinstance(node, Repeat) and node.most is not None and node.most <= LONGEST_WORD:
        counts = [concatenations((node.body,) * count) for count in range(node.least, node.most + 1)]
        return if_few([word for words in counts for word in words or ()]) if all(counts) else None
    return None


def concatenations(items: tuple[Node, ...]) -> list[Word] | None:
    """Return every way to read the items one after another, like `words_of`."""
    words: list[Word] = [()]
    for item in items:
        more = words_of(item)
        # Checked at each item, because the product grows exponentially.
        if more is None or if_few(words) is None:
            return None
        words = [one + other for one, other in product(words, more)]
    return if_few(words)


def if_few(words: list[Word]) -> list[Word] | None:
    """Return the words, or None when they are too many or too long."""
    return words if len(words) <= MOST_WORDS and all(len(word) <= LONGEST_WORD for word in words) else None
