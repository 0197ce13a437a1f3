"""The sticky text of `/assign`: who gives it back stays, whatever changes; who does not is known."""

from __future__ import annotations

import re
from typing import Any

import pytest

from abtest.domain.assignment.hash import fold
from abtest.domain.assignment.sticky import MAX_CHARS, MAX_ENTRIES, VERSION
from abtest.domain.assignment.visit_cookie import base36, code_of
from abtest.domain.exclusion_groups.model import Member
from tests.support.assigning import ON_CART, URL, Server, ask
from tests.support.delivered import group, keep
from tests.support.storefronts import experiment, experiment_id, variation

VISITORS = [f"visitor-{number}" for number in range(103)]
EVEN = (variation(0, weight=0.5), variation(1, weight=0.5))
UNEVEN = (variation(0, weight=0.12), variation(1, weight=0.88))
CART = "https://shop.example/cart"


@pytest.fixture
def server() -> Server:
    return Server().publish(experiment(variations=EVEN))


def variations_of(answer: Any) -> list[str]:
    return [each["variation_id"] for each in answer.assignments]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_changed_weights__move_no_one_who_gives_the_text_back(server: Server, method: str) -> None:
    def assigned(visitor: str, **sticky: str) -> Any:
        return ask(server.routes.assign, method, server.key, {"user_id": visitor, "url": URL, **sticky})

    first = {visitor: assigned(visitor) for visitor in VISITORS}
    server.publish(experiment(variations=UNEVEN))
    without = {visitor: assigned(visitor) for visitor in VISITORS}
    assert sum(variations_of(without[visitor]) != variations_of(first[visitor]) for visitor in VISITORS) > 20
    for visitor in VISITORS:
        later = assigned(visitor, sticky=first[visitor].json["sticky"])
        assert variations_of(later) == variations_of(first[visitor])
        assert later.json["sticky"] == first[visitor].json["sticky"]
        assert "warnings" not in later.json


def test_pause__between_two_requests__moves_no_one_after_the_resume(server: Server) -> None:
    first = {visitor: server.post(user_id=visitor, url=URL, sticky="") for visitor in VISITORS}
    server.publish(experiment(variations=UNEVEN, status="paused"))
    paused = {
        visitor: server.post(user_id=visitor, url=URL, sticky=first[visitor].json["sticky"]) for visitor in VISITORS
    }
    assert all(answer.assignments == [] for answer in paused.values())
    server.publish(experiment(variations=UNEVEN))
    for visitor in VISITORS:
        later = server.post(user_id=visitor, url=URL, sticky=paused[visitor].json["sticky"])
        assert variations_of(later) == variations_of(first[visitor])


def test_changed_weights__without_the_text__are_known_from_each_assignment(server: Server) -> None:
    first = server.post(user_id="v", url=URL)
    assert [each["is_sticky"] for each in first.assignments] == [False]
    for sticky in ("", first.json["sticky"], {experiment_id(1): variation(1).id}, {}):
        assert [each["is_sticky"] for each in server.assigned(sticky=sticky)] == [True]
    assert [each["is_sticky"] for each in server.assigned(sticky=None)] == [False]


def test_text__is_short_opaque_and_safe_in_cookies_and_addresses(server: Server) -> None:
    for number in range(2, 41):
        server.storefront.keep(experiment(number))
    server.publish()
    answer = server.post(user_id="somebody@example.com", url=URL)
    text = answer.json["sticky"]
    assert len(answer.assignments) == 40
    assert re.fullmatch(r"2\.[A-Za-z0-9_-]+", text)
    assert len(text) < 40 * 10
    for secret in ("somebody", experiment_id(1), variation(0).id, "Experiment"):
        assert secret not in text
    assert variations_of(server.post(user_id="another", url=URL, sticky=text)) == variations_of(answer)


@pytest.mark.parametrize(
    "garbage",
    [
        "x",
        "1.",
        "1.AAAA",
        "1.%%%",
        "1.é",
        "2.AAAAAAAAAA",
        "2.",
        "3.AAAAAAAA",
        "\ud800",
        VERSION + "A" * MAX_CHARS,
        "1.AAAAAAAAA=",
        "{}",
    ],
)
def test_garbage__is_ignored_with_a_warning_and_the_next_text_is_good(server: Server, garbage: str) -> None:
    plain = server.post(user_id="v", url=URL)
    answer = server.post(user_id="v", url=URL, sticky=garbage)
    if garbage == "1.":  # a text without variations, whose form is good
        assert "warnings" not in answer.json
        return
    assert [warning["code"] for warning in answer.json["warnings"]] == ["unreadable_sticky"]
    assert (answer.assignments, answer.json["sticky"]) == (plain.assignments, plain.json["sticky"])


@pytest.mark.parametrize("wrong", [5, True, ["1.AAAAAAAAAA"], {"seed": 5}])
def test_value_of_another_type__is_400(server: Server, wrong: Any) -> None:
    answer = server.post(user_id="v", sticky=wrong)
    assert answer.error == (400, "invalid_request")
    if not isinstance(wrong, dict):
        assert answer.json["message"] == "sticky: must be a text or an object"


def test_cut_text__is_never_read_as_a_whole_one(server: Server) -> None:
    server.publish(*(experiment(number, variations=EVEN) for number in range(2, 7)))
    text = server.post(user_id="v", url=URL).json["sticky"]
    assert len(text) > 50
    cuts = {text[:start] + text[end:] for start in range(len(text)) for end in range(start + 1, len(text) + 1)}
    unread = [cut for cut in cuts - {""} if "warnings" not in server.post(user_id="v", url=URL, sticky=cut).json]
    assert unread == []


def cookie_of(visitor: str, variation_id: str) -> str:
    """The cookie that the snippet has written for a visitor of a variation."""
    sticky = f"~{base36(fold(experiment_id(1)))}-{code_of(variation_id)}"
    return f"{visitor}.00ff00ff00ff00ff...{sticky}.direct.t3k0a0.t3k0a0..1.2"


def test_changed_weights__move_no_one_whose_cookie_of_the_storefront_is_sent(server: Server) -> None:
    visitors = [f"{name:-<16}" for name in VISITORS]
    first = {visitor: variations_of(server.post(user_id=visitor, url=URL)) for visitor in visitors}
    server.publish(experiment(variations=UNEVEN))
    for visitor in visitors:
        later = server.post(user_id=visitor, url=URL, sticky=cookie_of(visitor, *first[visitor]))
        assert variations_of(later) == first[visitor]
        assert [each["is_sticky"] for each in later.assignments] == [True]
        repeated = server.post(user_id=visitor, url=URL, sticky=later.json["sticky"])
        assert variations_of(repeated) == first[visitor]


def test_cookie_of_the_storefront__with_an_id_alone__is_readable(server: Server) -> None:
    visitor = "f" * 32
    answer = server.post(user_id=visitor, url=URL, sticky=visitor)
    assert "warnings" not in answer.json
    assert variations_of(answer) == variations_of(server.post(user_id=visitor, url=URL))


@pytest.mark.parametrize("user", [{"user_id": "g" * 32}, {"customer_id": "17"}])
def test_cookie_of_another_visitor__is_ignored_with_a_warning(server: Server, user: dict[str, str]) -> None:
    answer = server.post(**user, url=URL, sticky=cookie_of("f" * 32, variation(1).id))
    assert [warning["code"] for warning in answer.json["warnings"]] == ["unreadable_sticky"]


def test_text_of_an_older_release__is_read(server: Server) -> None:
    first = {visitor: server.post(user_id=visitor, url=URL) for visitor in VISITORS}
    server.publish(experiment(variations=UNEVEN))
    for visitor in VISITORS:
        entries = first[visitor].json["sticky"][len("2.") + 8 :]
        later = server.post(user_id=visitor, url=URL, sticky=f"1.{entries}")
        assert "warnings" not in later.json
        assert variations_of(later) == variations_of(first[visitor])
        assert later.json["sticky"] == first[visitor].json["sticky"]


def test_forged_text__selects_among_published_variations_only(server: Server) -> None:
    other = Server().publish(experiment(2, variations=EVEN)).post(user_id="v", url=URL).json["sticky"]
    answer = server.post(user_id="v", url=URL, sticky=other)
    assert answer.assignments[0]["experiment_id"] == experiment_id(1)
    assert variations_of(answer) == variations_of(server.post(user_id="v", url=URL))
    # The foreign entry stays, since an experiment that is not published may be paused. It decides nothing.
    assert len(answer.json["sticky"]) == len("2.") + (6 + 2 * 7) * 4 // 3 + 1


def test_restart__draws_again(server: Server) -> None:
    first = {visitor: server.post(user_id=visitor, url=URL) for visitor in VISITORS}
    server.publish(experiment(variations=EVEN, assignment_epoch=2))
    later = {
        visitor: server.post(user_id=visitor, url=URL, sticky=first[visitor].json["sticky"]) for visitor in VISITORS
    }
    assert sum(variations_of(later[visitor]) != variations_of(first[visitor]) for visitor in VISITORS) > 20


def test_less_traffic__keeps_those_who_are_in(server: Server) -> None:
    first = {visitor: server.post(user_id=visitor, url=URL) for visitor in VISITORS}
    server.publish(experiment(variations=EVEN, traffic_allocation=0.1))
    assert sum(not server.assigned(user_id=visitor) for visitor in VISITORS) > 50
    for visitor in VISITORS:
        answer = server.post(user_id=visitor, url=URL, sticky=first[visitor].json["sticky"])
        assert variations_of(answer) == variations_of(first[visitor])


def test_removed_variation__is_drawn_again(server: Server) -> None:
    sticky = server.post(user_id="v", url=URL, force={}).json["sticky"]
    server.publish(experiment(variations=(variation(2, weight=0.5), variation(3, weight=0.5))))
    answer = server.post(user_id="v", url=URL, sticky=sticky)
    assert variations_of(answer)[0] in {variation(2).id, variation(3).id}
    assert answer.json["sticky"] not in ("", sticky)


def test_exclusion_group__comes_before_the_text(server: Server) -> None:
    sticky = server.post(user_id="v", url=URL).json["sticky"]
    keep(server.storefront.catalog, group(Member(experiment_id=experiment_id(1), share=0.0, ranges=())))
    server.publish(experiment(variations=EVEN))
    answer = server.post(user_id="v", url=URL, sticky=sticky)
    assert (answer.assignments, answer.json["sticky"]) == ([], sticky)


def test_forced_and_unseen_variations__are_not_kept(server: Server) -> None:
    server.publish(experiment(2, variations=EVEN, targeting=ON_CART))
    assert server.post(user_id="v", url=URL, force={experiment_id(1): "1"}).json["sticky"] == ""
    assert server.post(user_id="v", url=CART, experiment_ids=[]).json["sticky"] == ""
    off_page = server.post(user_id="v", url=URL).json["sticky"]
    on_page = server.post(user_id="v", url=CART, sticky=off_page).json["sticky"]
    assert on_page[10:].startswith(off_page[10:19])
    assert len(on_page) > len(off_page)
    # A page where it is not shown does not forget it.
    assert server.post(user_id="v", url=URL, sticky=on_page).json["sticky"] == on_page


def test_text__of_more_experiments_than_fit__drops_the_oldest(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (MAX_ENTRIES, MAX_CHARS) == (300, 2810)
    monkeypatch.setattr("abtest.domain.assignment.sticky.MAX_ENTRIES", 3)
    text = ""
    for number in range(1, 6):
        server.publish(experiment(number, variations=EVEN))
        text = server.post(user_id="v", url=URL, experiment_ids=[experiment_id(number)], sticky=text).json["sticky"]
    server.publish(*(experiment(number, variations=UNEVEN) for number in range(1, 6)))
    even = Server().publish(*(experiment(number, variations=EVEN) for number in range(1, 6)))
    before, after = even.assigned(user_id="v"), server.assigned(user_id="v", sticky=text)
    assert len(text) == len(VERSION) + (6 + 3 * 7) * 4 // 3
    assert [each["variation_id"] for each in after[2:]] == [each["variation_id"] for each in before[2:]]
