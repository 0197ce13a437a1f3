"""RE2 itself says whether what is let in can be expressed, and whether our reading of it is right."""

from random import Random

import re2

from abtest.domain.targeting.admission import problem_of
from abtest.domain.targeting.admission_reading import read
from abtest.domain.targeting.admission_syntax import Assertion, Choice, Node, Ranges, Repeat, Sequence, Units
from abtest.domain.targeting.patterns import search
from tests.property.regex_questions import question, texts_for
from tests.support.sizes import sized
from tests.unit.targeting.admission_corpus import ORDINARY

GROWN = sized(1500, 500)
OPTIONS = re2.Options()
OPTIONS.log_errors = False
OPTIONS.never_nl = False


def in_re2(node: Node) -> str:
    """The tree in RE2's spelling."""
    if isinstance(node, Units):
        return units(node.ranges)
    if isinstance(node, Assertion):
        return {"^": r"\A", "$": r"\z"}.get(node.kind, node.kind)
    if isinstance(node, Sequence):
        return "".join(map(in_re2, node.items))
    if isinstance(node, Choice):
        return f"(?:{'|'.join(map(in_re2, node.options))})"
    return repeated(node)


def repeated(node: Repeat) -> str:
    most = "" if node.most is None else node.most
    return f"(?:{in_re2(node.body)}){{{node.least},{most}}}{'?' if node.lazy else ''}"


def units(ranges: Ranges) -> str:
    members = "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in without_surrogates(ranges))
    return f"[{members}]" if members else r"[^\x{0}-\x{10FFFF}]"


def without_surrogates(ranges: Ranges) -> Ranges:
    parts = [(low, min(high, 0xD7FF)) for low, high in ranges] + [(max(low, 0xE000), high) for low, high in ranges]
    return tuple((low, high) for low, high in parts if low <= high)


def test_admission__all_that_is_let_in__is_expressed_and_answered_alike_by_re2() -> None:
    random = Random(20260102)
    asked = [(each.source, each.short) for each in (question(random) for _ in range(GROWN))]
    asked += [(source, [text[:60] for text in texts_for(source, random)]) for source in ORDINARY]
    let_in = [(source, texts) for source, texts in asked if problem_of(source) is None]
    assert len(let_in) > GROWN * 0.2
    differing = []
    for source, texts in let_in:
        oracle = re2.compile(in_re2(read(source)), OPTIONS)
        differing += [(source, text) for text in texts if bool(oracle.search(text)) != search(source, text)]
    assert differing == []
