"""Expressions as Kubernetes evaluates them: the examples of apiserver's pkg/cel/library; and their bounds."""

from __future__ import annotations

from collections.abc import Iterator
from operator import le
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Any

import pytest

from lifecycle.engine.rules.cel.bounds import Extents, estimate, settle
from lifecycle.engine.rules.cel.evaluator import (
    Budget,
    Failed,
    Optional,
    Unasked,
    _environment,
    evaluate,
    find_fault,
    find_unasked,
    uses,
)
from lifecycle.engine.rules.cel.trees import read_tree

pytest.importorskip("cel_expr_python")

SELF = {"replicas": 3, "name": "a-b", "ratio": 0.5, "tags": ["x", "y"], "of": {"k": 1}, "empty": None}


VALUES = [
    # The language.
    ("self.replicas > 2 && self.name.startsWith('a')", True),
    ("self.replicas > 2.5", True),
    ("has(self.missing) || has(self.of.k)", True),
    ("self.missing.further || true", True),
    ("self.tags.all(one, one in ['x', 'y'])", True),
    ("self.tags.exists_one(one, one == 'x')", True),
    ("self.tags.map(one, one + '!')", ["x!", "y!"]),
    ("self.?missing.orValue('none')", "none"),
    ("self.of.all(key, self.of[key] == 1)", True),
    ("self.empty == null", True),
    ("self.name.matches('^[a-z]-[a-z]$')", True),
    ("self.name.split('-').join('.')", "a.b"),
    ("self.name.replace('-', '').upperAscii()", "AB"),
    ("'%s has %d'.format([self.name, self.replicas])", "a-b has 3"),
    ("duration('1h30m') > duration('90m')", False),
    ("timestamp('2024-02-29T00:00:00Z').getDayOfYear()", 59),
    # Comprehensions of two variables: the index and the entry, or the key and the value.
    ("self.tags.all(index, one, one == ['x', 'y'][index])", True),
    ("self.tags.exists(index, one, index == 1 && one == 'x')", False),
    ("self.tags.existsOne(index, one, index < 1)", True),
    ("self.of.all(key, one, key == 'k' && one == 1) && {}.all(key, one, false)", True),
    ("self.tags.transformList(index, one, one + string(index))", ["x0", "y1"]),
    ("self.tags.transformList(index, one, index > 0, one)", ["y"]),
    ("self.of.transformList(key, one, [key, one])", [["k", 1]]),
    # Quantities.
    ("isQuantity('1.3G') && isQuantity('1.3Gi') && isQuantity('10000k')", True),
    ("isQuantity('1,3G') || isQuantity('200K') || isQuantity('Three') || isQuantity('Mi')", False),
    ("quantity('50000000G').isInteger() && quantity('50k').isInteger()", True),
    ("quantity('9999999999999999999999999999999999999G').isInteger()", False),
    ("quantity('50k').asInteger()", 50000),
    ("quantity('50k').sub(20000).asApproximateFloat() == 30000.0", True),
    ("quantity('50k').add(quantity('20k')) == quantity('70k')", True),
    ("quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", True),
    ("sign(quantity('-1'))", -1),
    ("quantity('200M').compareTo(quantity('0.2G'))", 0),
    ("quantity('50M').compareTo(quantity('50Mi'))", -1),
    ("quantity('150Mi').isGreaterThan(quantity('100Mi'))", True),
    ("quantity('100M').isLessThan(quantity('50M'))", False),
    # Versions.
    ("isSemver('1.0.0') && isSemver('0.1.0-alpha.1') && isSemver('v1.0', true)", True),
    ("isSemver('hello') || isSemver('v1.0') || isSemver('200K')", False),
    ("semver('01.01.01', true) == semver('1.1.1')", True),
    (
        "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
        True,
    ),
    ("semver('1.2.3').compareTo(semver('2.0.0'))", -1),
    ("semver('1.0.0-rc.2').isLessThan(semver('1.0.0-rc.10'))", True),
    ("semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))", True),
    # Addresses.
    ("isIP('127.0.0.1') && isIP('::1')", True),
    ("isIP('127.0.0.256') || isIP(':::1') || isIP('::ffff:1.2.3.4') || isIP('fe80::1%eth0')", False),
    ("ip.isCanonical('2001:db8::abcd')", True),
    ("ip.isCanonical('2001:DB8::ABCD') || ip.isCanonical('2001:db8::0:0:0:abcd')", False),
    ("ip('127.0.0.1').family() == 4 && ip('::1').family() == 6", True),
    ("ip('0.0.0.0').isUnspecified() && ip('::').isUnspecified() && ip('::1').isLoopback()", True),
    ("ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()", True),
    ("ip('224.0.1.1').isLinkLocalMulticast() || ip('fd00::1').isLinkLocalMulticast()", False),
    ("ip('169.254.169.254').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast()", True),
    ("ip('192.168.0.1').isLinkLocalUnicast() || ip('fd80::1').isLinkLocalUnicast()", False),
    ("ip('192.168.0.1').isGlobalUnicast() && ip('2001:db8::abcd').isGlobalUnicast()", True),
    ("ip('255.255.255.255').isGlobalUnicast() || ip('ff00::1').isGlobalUnicast()", False),
    ("isCIDR('192.168.0.0/16') && isCIDR('::1/128')", True),
    ("isCIDR('192.168.0.0/33') || isCIDR('::1/129')", False),
    ("cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", True),
    ("cidr('192.168.0.0/24').containsIP('192.168.1.1')", False),
    ("cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))", True),
    ("cidr('192.168.1.0/24').containsCIDR('192.168.2.0/24')", False),
    ("cidr('192.168.0.1/24').ip() == ip('192.168.0.1')", True),
    ("cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')", True),
    ("cidr('192.168.0.1/24') == cidr('192.168.0.1/24').masked()", False),
    ("cidr('::1/128').prefixLength()", 128),
    # URLs.
    (
        "isURL('https://user:pass@example.com:80/path?query=val#fragment') && isURL('/absolute-path')",
        True,
    ),
    ("isURL('https://a:b:c/') || isURL('../relative-path')", False),
    ("url('/path').getScheme() + url('/path').getHost() + url('/path').getPort()", ""),
    ("url('https://[::1]:80/').getHost()", "[::1]:80"),
    ("url('https://[::1]:80/').getHostname()", "::1"),
    ("url('https://example.com:80/').getPort()", "80"),
    ("url('https://example.com/path with spaces/').getEscapedPath()", "/path%20with%20spaces/"),
    ("url('https://example.com/path?k1=a&k2=b&k2=c').getQuery()", {"k1": ["a"], "k2": ["b", "c"]}),
    ("url('https://example.com/path?').getQuery()", {}),
    # Lists, sets, patterns.
    ("'abc 123'.find('[0-9]+')", "123"),
    ("'abc 123'.find('xyz')", ""),
    ("'123 abc 456'.findAll('[0-9]+')", ["123", "456"]),
    ("'123 abc 456'.findAll('[0-9]+', 1)", ["123"]),
    ("[1, 2, 3].isSorted() && ['a', 'b', 'b', 'c'].isSorted() && [1].isSorted()", True),
    ("[2.0, 1.0].isSorted()", False),
    ("[1, 3].sum() == 4 && [1, 3].min() == 1 && [1, 3].max() == 3 && [].sum() == 0", True),
    ("sets.contains([1, 2, 3], [3, 1]) && sets.contains([1], [])", True),
    ("sets.equivalent([1, 1, 2], [2, 1])", True),
    ("sets.intersects(['a'], ['b'])", False),
    ("[1, 2, 2, 1].distinct()", [1, 2]),
    ("[[1], [2, [3]]].flatten()", [1, 2, [3]]),
    ("[3, 1, 2].sort().slice(0, 2)", [1, 2]),
    ("lists.range(3)", [0, 1, 2]),
]


@pytest.mark.parametrize("expression, value", VALUES)
@pytest.mark.spec("CEL-01")
def test_an_expression_has_the_value_that_kubernetes_gives_it(expression, value):
    assert evaluate(expression, {"self": SELF}, Budget()) == value


@pytest.mark.parametrize(
    "expression, words",
    [
        ("self.missing > 1", "no such key: missing"),
        ("self.tags[5] == 'x'", "index out of bounds: 5"),
        ("1 / (self.replicas - 3) > 0", "division by zero"),
        ("self.replicas + 9223372036854775807 > 0", "integer overflow"),
        ("[].min() == 0", "min called on empty list"),
        (
            "quantity('9999999999999999999999999999999999999G').asInteger() > 0",
            "cannot convert value to integer",
        ),
    ],
)
@pytest.mark.spec("CEL-01")
def test_an_error_is_worded_as_by_cel_go(expression, words):
    with pytest.raises(Failed, match=words.replace("(", r"\(")):
        evaluate(expression, {"self": SELF}, Budget())


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("self.of.transformMap(key, one, one + 1) == {'k': 2}", id="transformMap"),
        pytest.param("self.tags.transformMapEntry(index, one, {one: index}).y == 1", id="transformMapEntry"),
        pytest.param("authorizer.group('').resource('pods').check('get').allowed()", id="the authorizer"),
        pytest.param("!format.dns1123Label().validate(self.name).hasValue()", id="formats"),
        pytest.param("self.tags.indexOf(1) == -1", id="indexOf a list"),
        pytest.param("string(ip('1.2.3.4')) == '1.2.3.4'", id="string of an address"),
        pytest.param("self.tags.sortBy(one, one)[0] == 'x'", id="sortBy"),
        pytest.param("cel.bind(one, self, one.replicas > 0)", id="what only the library has"),
        pytest.param("self.replicas >", id="no expression"),
        pytest.param("(" * 400 + "1" + ")" * 400, id="too deep"),
        pytest.param("1" + "+1" * 20_000, id="too long"),
        pytest.param("lists.range(1000000000).size() > 0", id="too many numbers"),
        pytest.param("self.many.all(a, self.many.all(b, self.many.all(c, a + b + c != '')))", id="too slow"),
        pytest.param(
            "self.many.all(i, a, self.many.all(j, b, self.many.transformList(k, c, a + b + c) != []))",
            id="too slow by index",
        ),
        pytest.param("self.surrogate == 'x'", id="half a letter"),
        pytest.param("self.nul.matches('\x00')" + "'", id="NUL"),
    ],
)
@pytest.mark.spec("CEL-02")
def test_what_cannot_be_judged_is_said_and_neither_passed_nor_refused(expression):
    given = SELF | {"many": ["x" * 50] * 400, "nul": "\x00"}
    if "surrogate" in expression:
        given["surrogate"] = "\ud800"
    with pytest.raises(Unasked) as why:
        evaluate(expression, {"self": given}, Budget())
    assert 0 < len(str(why.value)) <= 300 and str(why.value).isprintable()


_LOOPS = "self.many.all(a, self.many.all(b, a + b != ''))"


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param(_LOOPS, id="plain"),
        pytest.param(_LOOPS.replace(".all", ".//\nall"), id="after a comment"),
        pytest.param(_LOOPS.replace("all(", "all//'\n("), id="before a comment"),
        pytest.param(f"'''\n\"''' != '' && {_LOOPS} && '''\"''' != ''", id="between long texts"),
        pytest.param(f"R'''\"''' != '' && {_LOOPS} && r'''\"''' != ''", id="between long raw texts"),
        pytest.param(f"b'''\"''' != b'' && {_LOOPS} && b'''\"''' != b''", id="between long bytes"),
        pytest.param(f"self.`a//b` == 1 && {_LOOPS}", id="after a name in backquotes"),
    ],
)
@pytest.mark.spec("CEL-02")
def test_what_is_no_code_hides_no_loop(expression):
    with pytest.raises(Unasked, match="it could build more than the 64 MiB"):
        evaluate(expression, {"self": {"many": ["x" * 10_000] * 90, "a//b": 1}}, Budget())
    bounded = expression.replace(_LOOPS, "cel.bind(a, 1, true)")
    if bounded != expression:
        assert find_unasked(bounded, ("self",), Budget()) == "Kubernetes has no cel in expressions"


@pytest.mark.parametrize(
    "expression",
    [
        # A map of one's own that is named like a type, with a number that would take for ever to write.
        "{'kubernetes.Quantity': '1e999999999'}.isInteger()",
        "self.forged.isInteger()",
        # Lists that an expression builds itself.
        "lists.range(9000).map(x, lists.range(9000)).flatten().size() > 0",
        "lists.range(9000).all(x, lists.range(9000).isSorted())",
    ],
)
def test_what_would_take_for_ever_ends_at_once(expression):
    given = {"self": SELF | {"forged": {"kubernetes.Quantity": "1e999999999"}}}
    with pytest.raises((Unasked, Failed)):
        evaluate(expression, given, Budget())


@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param("['aa']" + ".map(a, a + a)" * 24 + " != []", id="texts that double"),
        pytest.param("[b'aa']" + ".map(a, a + a)" * 24 + " != []", id="bytes that double"),
        pytest.param("[['aa']]" + ".map(a, a + a)" * 24 + " != []", id="lists that double"),
        pytest.param("['aa']" + ".map(a, [a, a])" * 24, id="lists of the same twice"),
        pytest.param(
            "['aa']" + ".map(a, {'x': a, 'y': a})" * 24 + ".map(a, a == a)", id="maps of the same twice"
        ),
        pytest.param("[self.text]" + ".filter(a, a != '').map(a, a + a)" * 13, id="filters"),
        pytest.param("self.word" + ".replace('', 'aaaaaaaa')" * 9 + " != ''", id="replacements"),
        pytest.param("[self.word]" + ".map(a, a.replace('', a))" * 30 + " == []", id="squares of squares"),
        pytest.param("self.word" + ".split('').join('aaaaaaaa')" * 9 + " != ''", id="joined with more"),
        pytest.param(
            "['aa'].map(a, '%s%s%s%s'.format([a, a, a, a]))"
            + ".map(a, '%s%s%s%s'.format([a, a, a, a]))" * 11,
            id="format",
        ),
        pytest.param("[0].map(a, '%.999f'.format([1.0]))" + ".map(a, a + a)" * 17, id="precision"),
        pytest.param("self.many" + ".transformList(i, a, a + a)" * 24 + " != []", id="by index"),
        pytest.param(
            "[self.word]" + ".map(a, [a].map(b, a + b)[0])" * 24 + " != []", id="names within names"
        ),
        pytest.param("self.?word" + ".optMap(a, a + a)" * 24 + ".hasValue()", id="optionals, to compile"),
        pytest.param(
            "self.?text" + ".optMap(a, a + a + a + a + a + a + a + a)" * 4 + ".hasValue()",
            id="optionals, to build",
        ),
        pytest.param("optional.of([1" + ", 1" * 4000 + "])" + ".optMap(a, a)" * 8 + " == self", id="parts"),
        pytest.param("lists.range(10000).map(a, self.text) == []", id="one text many times"),
        pytest.param(
            "[lists.range(10000)]" + ".map(a, [a, a, a, a].flatten())" * 9 + " == []", id="flattened"
        ),
        pytest.param("self.many.all(a, self.nest.all(b, self.nest == self.nest))", id="comparisons"),
    ],
)
@pytest.mark.slow
@pytest.mark.spec("CEL-02")
def test_what_an_expression_builds_is_bounded_before_it_is_begun(bomb: str) -> None:
    given = {"word": "abc", "text": "x" * 100_000, "many": ["ab"] * 100, "nest": [["abc"] * 40] * 100}
    began, peak_kib = process_time(), getrusage(RUSAGE_SELF).ru_maxrss
    with pytest.raises(Unasked):
        evaluate(bomb, {"self": given}, Budget())
    assert process_time() - began < 2 and getrusage(RUSAGE_SELF).ru_maxrss - peak_kib < 100_000


@pytest.mark.slow
@pytest.mark.spec("CEL-02")
def test_what_an_expression_says_a_thousand_times_is_measured_once() -> None:
    given = {"self": {"many": [{"name": f"n{number}"} for number in range(3_000)]}}
    began = process_time()
    assert evaluate("[" + ", ".join(["self.many.size() + 1"] * 800) + "].size() == 800", given, Budget())
    # Measured each time it would take five seconds.
    assert process_time() - began < 2
    with pytest.raises(Unasked, match="it could build more"):
        evaluate(
            "['\U0001f4a3'.replace('', self.bombs)]", {"self": {"bombs": "\U0001f4a3" * 9_000_000}}, Budget()
        )


class _Watched(list[Any]):
    """A list that counts how often it is looked through."""

    looks = 0

    def __iter__(self) -> Iterator[Any]:
        self.looks += 1
        return super().__iter__()


@pytest.mark.spec("CEL-02")
def test_what_stands_below_many_paths_is_measured_once_for_all_expressions() -> None:
    leaf = value = _Watched([1] * 1_000)
    for _ in range(26):
        value = {"a": value}
    program, _ = _environment(("self", "other"))
    extents = Extents()
    for root in ("self", "other"):
        paths = ", ".join(f"{root}{'.a' * depth}.size()" for depth in range(27))
        tree = read_tree(program(f"[{paths}].size() == 27").serialize())
        assert estimate(tree, {root: value}, extents).work > 40 * len(leaf)
        extents.forget()
    assert leaf.looks == 1


@pytest.mark.spec("CEL-02")
def test_what_was_measured_is_let_go_of_once_it_is_much() -> None:
    extents, lists = Extents(), [_Watched([1] * 400_000) for _ in range(3)]
    for one in lists:
        assert extents.measure(one) == extents.measure(one)
        extents.forget()
    assert [one.looks for one in lists] == [1, 1, 1]
    # 40 bytes for each number: all three are more than 32 MiB.
    assert extents.measure(lists[0])[0].size == 16_000_000 and lists[0].looks == 2


@pytest.mark.spec("CEL-02")
def test_the_letters_of_all_expressions_of_one_object_are_counted_once_as_macros_double_them() -> None:
    doubled = "optional.of(1)" + ".optMap(b,b)" * 4
    budget = Budget(most_compiled=(len(doubled) << 4) + 6)
    rows = [
        (doubled, True),
        (doubled, True),
        ("1 == 1 ", False),
        # These are never compiled.
        ("x" * 20_001, True),
        (doubled + ".optMap(b,b)", True),
        ("1 == 1", True),
        ("2", False),
    ]
    assert [(one, budget.has_letters(one)) for one, _ in rows] == rows
    assert evaluate("1 == 1", {}, budget) is True
    with pytest.raises(Unasked, match="it could take too long to compile"):
        evaluate("1 == 2", {}, budget)


@pytest.mark.spec("CEL-07")
def test_of_an_expression_that_is_none_the_fault_is_told_in_few_letters() -> None:
    said = "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '@'"
    assert find_fault("@", ("self",), Budget()).startswith(said)
    bomb = find_fault("@" * 10_000, ("self",), Budget())
    assert bomb.startswith(said) and len(bomb) < 5_000
    assert find_fault("'\ud800' == self", ("self",), Budget()) == ""
    assert find_unasked("'\ud800' == self", ("self",), Budget()) != ""
    assert find_fault("@", ("self",), Budget(most_compiled=0)) == ""


@pytest.mark.spec("CEL-02")
def test_what_the_expressions_of_one_object_build_is_counted_together() -> None:
    given, budget = {"self": {"text": "x" * 1_000_000, "many": [1] * 20}}, Budget()
    rule = "self.many.map(a, self.text + self.text).size() == 20"
    assert evaluate(rule, given, budget) is True
    with pytest.raises(Unasked, match="it could build more than the 64 MiB that one object's may"):
        evaluate(rule, given, budget)


@pytest.mark.parametrize("expression, value", VALUES)
def test_an_estimate_is_never_too_low(expression: str, value: Any) -> None:
    """Of the size of what an expression gives, level by level."""
    program, _ = _environment(("self",))
    tree = read_tree(program(expression).serialize())
    whole, settled = (estimate(one, {"self": SELF}, Extents()) for one in (tree, settle(tree)))
    assert settled.work >= whole.work and settled[1:] == whole[1:]
    estimated = whole.value
    for most, real in zip(estimated, Extents().measure(value), strict=False):
        assert all(map(le, real, most)), (real, most)
    assert len(Extents().measure(value)) <= len(estimated)


@pytest.mark.spec("CEL-02")
def test_a_range_is_as_long_as_the_number_that_is_written_down() -> None:
    many, budget = {"self": {"text": "x" * 100_000}}, Budget()
    assert evaluate("lists.range(3).map(one, self.text + self.text).size()", many, budget) == 3


def test_an_optional_variable_has_a_value_or_none():
    rule = "!oldSelf.hasValue() || oldSelf.value() < self"
    assert evaluate(rule, {"self": 2, "oldSelf": Optional(1, True)}, Budget()) is True
    assert evaluate(rule, {"self": 2, "oldSelf": Optional(None, False)}, Budget()) is True
    assert evaluate(rule, {"self": 1, "oldSelf": Optional(2, True)}, Budget()) is False
    assert find_unasked(rule, ("self", "oldSelf"), Budget(), has_optional_old=True) == ""


def test_a_name_is_used_where_it_is_code():
    assert uses("oldSelf.x == self.x", "oldSelf")
    assert uses("'''\n\"''' + oldSelf + '''\"'''", "oldSelf")
    assert not uses("self == 'oldSelf' // oldSelf", "oldSelf")


@pytest.mark.parametrize("piece", ["'\\'", "'''\\'", "r'", "`", "//", "'\\\n"])
def test_texts_without_an_end_are_read_in_no_time(piece):
    begun = process_time()
    uses("'" + piece * 30_000, "self")
    # With the square of its length it would take half a minute.
    assert process_time() - begun < 5
