"""Written answers about hashes, addresses and conditions, where section 2.2 of docs/data-model.md settles something."""

from typing import Any

from tools.golden.written.case import Case

_HASHES = [  # published by others: ten thousand times the number that hash version 2 gives
    ("seed", "a", 505),
    ("seed", "b", 2696),
    ("foo", "ab", 2575),
    ("foo", "def", 2019),
    ("89123klj", "8952klfjas09ujkasdf", 1240),
    ("90850943850283058242805", "123", 7516),
    ("()**(%$##$%#$#", '___)((*":&', 128),
]

_SIMPLE = [
    ("/foo", "https://any.example/FOO/", True),
    ("/foo", "https://any.example/foo//", False),
    ("f", "https://any.example/foo", False),
    ("shop.example/foo", "http://shop.example/foo?x=1#y", True),
    ("shop.example/foo", "http://other.example/foo", False),
    ("https://shop.example:443/", "https://shop.example/", True),
    ("*.shop.example/", "https://a.b.shop.example/", True),
    ("https://*/foo", "/foo", True),
    ("*://shop.example/x", "https://shop.example/x", False),
    ("/foo?a=1", "https://x.example/foo?b=2&a=1&a=2", True),
    ("/foo?a=2", "https://x.example/foo?a=1&a=2", False),
    ("/foo?a=", "https://x.example/foo", True),
    ("/foo?a=x*", "https://x.example/foo?a=x%0Ay", True),
    ("/foo?a=x%2Ay", "https://x.example/foo?a=xzy", False),
    ("/foo?a=b+c", "https://x.example/foo?a=b%20c", True),
    ("/foo?a=é", "https://x.example/foo?a=É", True),
    ("/foo?a=k", "https://x.example/foo?a=\u212a", False),
    ("/foo#top", "https://x.example/foo#TOP", True),
    ("/foo#top", "https://x.example/foo", False),
    ("bücher.example/x", "https://xn--bcher-kva.example/x", True),
    ("https://[/", "https://example.com/", False),
    ("/\ud800", "https://x.example/%EF%BF%BD", True),
]
_REGEX = [
    ("^https://x", "https://x.example/foo", True),
    ("^/foo$", "https://x.example/foo", True),
    ("/FOO", "https://x.example/foo", False),
    ("(", "https://x.example/(", False),
    (r"\c", "https://x.example/c", False),
    ("x$", "https://x.example/" + "x" * 8174, True),
    ("^h", "https://x.example/" + "x" * 8175, False),
]

NAME = {"a": "x"}
_CONDITIONS: list[tuple[Any, Any, bool]] = [
    ({}, {}, True),
    ([], {}, False),
    ({"$and": []}, {}, True),
    ({"$or": []}, {}, True),
    ({"$nor": []}, {}, False),
    ({"$nor": 5}, {}, True),
    ({"$and": {}}, {}, False),
    ({"$or": [5]}, {}, False),
    ({"$not": 5}, {}, True),
    ({"a": {"$unknown": 1}}, {"a": 1}, False),
    ({"a": {"$not": {"$unknown": 1}}}, {"a": 1}, True),
    ({"$groups": 1}, {"$groups": 1}, True),
    ({"a.1": "y"}, {"a": ["x", "y"]}, True),
    ({"a.01": "y"}, {"a": ["x", "y"]}, False),
    ({"a.length": 2}, {"a": ["x", "y"]}, False),
    ({"constructor": None, "__proto__": None}, {}, True),
    ({"__proto__": 1}, {"__proto__": 1}, True),
    ({"a": "1"}, {"a": 1}, True),
    ({"a": "1e+21"}, {"a": 1e21}, True),
    ({"a": "true"}, {"a": True}, True),
    ({"a": "null"}, {"a": None}, False),
    ({"a": 1}, {"a": " 1\n"}, True),
    ({"a": 1}, {"a": "1_0"}, False),
    ({"a": 31}, {"a": "0x1F"}, True),
    ({"a": 0}, {"a": ""}, True),
    ({"a": 0}, {"a": None}, False),
    ({"a": 1}, {"a": [1]}, False),
    ({"a": True}, {"a": []}, True),
    ({"a": True}, {"a": "false"}, True),
    ({"a": False}, {"a": 0}, True),
    ({"a": False}, {"a": None}, False),
    ({"a": {}}, {"a": {}}, True),
    ({"a": {"x": 1, "y": [2]}}, {"a": {"y": [2.0], "x": 1}}, True),
    ({"a": {"x": 1}}, {"a": {"x": True}}, False),
    ({"a": {"$eq": "1"}}, {"a": 1}, False),
    ({"a": {"$ne": None}}, {}, False),
    ({"a": {"$in": [[1]]}}, {"a": [1]}, True),
    ({"a": {"$in": [1]}}, {"a": [2, 1]}, True),
    ({"a": {"$in": [None]}}, {}, True),
    ({"a": {"$in": "x"}}, NAME, False),
    ({"a": {"$nin": "x"}}, NAME, False),
    ({"a": {"$not": {"$nin": "x"}}}, NAME, True),
    ({"a": {"$ini": ["X", 5]}}, {"a": ["q", "x"]}, True),
    ({"a": {"$ini": ["i̇"]}}, {"a": "İ"}, True),
    ({"a": {"$lt": "10"}}, {"a": "9"}, False),
    ({"a": {"$lt": 10}}, {"a": "9"}, True),
    ({"a": {"$gte": 0}}, {}, True),
    ({"a": {"$lt": "x"}}, {"a": 1}, False),
    ({"a": {"$gte": "x"}}, {"a": 1}, False),
    ({"a": {"$gt": 0}}, {"a": [1]}, False),
    ({"a": {"$gt": "😀"}}, {"a": "\uffff"}, True),
    ({"a": {"$all": [{"$gt": 3}, 1]}}, {"a": [1, 4]}, True),
    ({"a": {"$all": []}}, {"a": 1}, False),
    ({"a": {"$alli": ["X", {"$eq": "Y"}]}}, {"a": ["x", "Y"]}, True),
    ({"a": {"$elemMatch": {"$eq": 0}}}, {"a": [0]}, True),
    ({"a": {"$elemMatch": {"b": None}}}, {"a": [1]}, True),
    ({"a": {"$elemMatch": {}}}, {"a": []}, False),
    ({"a": {"$size": {"$gt": 1}}}, {"a": [1, 2]}, True),
    ({"a": {"$size": 1}}, {"a": "x"}, False),
    ({"a": {"$type": "null"}}, {}, True),
    ({"a": {"$type": "array"}}, {"a": []}, True),
    ({"a": {"$exists": []}}, {"a": 0}, True),
    ({"a": {"$exists": 0}}, {}, True),
    ({"a": {"$inGroup": "constructor"}}, {"a": 1}, False),
    ({"a": {"$notInGroup": "nobody"}}, {"a": 1}, True),
    ({"a": {"$veq": "0"}}, {}, True),
    ({"a": {"$vgt": 9}}, {"a": 10}, True),
    ({"a": {"$veq": "1.2.3"}}, {"a": "v1.2.3+v4"}, True),
    ({"a": {"$vlt": "1.2.3"}}, {"a": "1.2.3-rc.1"}, True),
    ({"a": {"$vgt": "9999.0.0"}}, {"a": "10000.0.0"}, True),
    ({"a": {"$vgt": "99999.0.0"}}, {"a": "100000.0.0"}, False),
    ({"a": {"$vgt": "1.9.0"}}, {"a": "1.10.0"}, True),
    ({"a": {"$regex": "^12$"}}, {"a": 12}, True),
    ({"a": {"$regex": "null|"}}, {}, False),
    ({"a": {"$regex": ""}}, {"a": []}, False),
    ({"a": {"$regex": 5}}, {"a": "5"}, False),
    ({"a": {"$regexi": "ÄB"}}, {"a": "xäb"}, True),
    ({"a": {"$regexi": "k"}}, {"a": "\u212a"}, False),
    ({"a": {"$regex": "^..$"}}, {"a": "😀"}, True),
    ({"a": {"$regex": "x$"}}, {"a": "x" * 8192}, True),
    ({"a": {"$regex": "x$"}}, {"a": "x" * 8193}, False),
    ({"a": {"$not": {"$regex": "("}}}, {"a": "("}, True),
]

CASES: dict[str, list[Case]] = {
    "hash": [
        Case(f"{seed} {value}", "hash", {"seed": seed, "value": value}, bucket) for seed, value, bucket in _HASHES
    ],
    "simple": [
        Case(f"{pattern} on {url}", "url", {"type": "simple", "pattern": pattern, "url": url}, expected)
        for pattern, url, expected in _SIMPLE
    ],
    "regex": [
        Case(f"{pattern} on {url[:40]}", "url", {"type": "regex", "pattern": pattern, "url": url}, expected)
        for pattern, url, expected in _REGEX
    ],
    "condition": [
        Case(f"number {number}", "condition", {"condition": condition, "attributes": attributes}, expected)
        for number, (condition, attributes, expected) in enumerate(_CONDITIONS)
    ],
}
