"""What Kubernetes adds to CEL: quantities, versions, addresses, URLs, expressions, lists and sets.

Models apiserver, pkg/cel/library. Each returns plain data: a value of a type of its own, such as a quantity,
is a map with one entry, named for its type; two of them are equal when Kubernetes takes them for equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import addresses, amounts, lists, patterns, urls, values

NOT_HERE = values.NOT_HERE
_Row = tuple[str, bool, str, str, Callable[..., Any]]

# Name, whether it is called on its first argument, its arguments, its result: Bool, Double, Int, List,
# String, a Value of a type of its own, Any.
_ROWS: Sequence[_Row] = (
    ("quantity", False, "S", "V", amounts.quantity),
    ("isQuantity", False, "S", "B", amounts.is_quantity),
    ("sign", False, "V", "I", amounts.sign),
    ("isInteger", True, "V", "B", amounts.is_integer),
    ("asInteger", True, "V", "I", amounts.as_integer),
    ("asApproximateFloat", True, "V", "D", amounts.as_float),
    ("add", True, "VV", "V", amounts.add),
    ("add", True, "VI", "V", amounts.add),
    ("sub", True, "VV", "V", amounts.subtract),
    ("sub", True, "VI", "V", amounts.subtract),
    ("isLessThan", True, "VV", "B", amounts.is_less),
    ("isGreaterThan", True, "VV", "B", amounts.is_greater),
    ("compareTo", True, "VV", "I", amounts.compare),
    ("semver", False, "S", "V", amounts.semver),
    ("semver", False, "SB", "V", amounts.semver),
    ("isSemver", False, "S", "B", amounts.is_semver),
    ("isSemver", False, "SB", "B", amounts.is_semver),
    ("major", True, "V", "I", lambda version: amounts.part(version, 0)),
    ("minor", True, "V", "I", lambda version: amounts.part(version, 1)),
    ("patch", True, "V", "I", lambda version: amounts.part(version, 2)),
    ("ip", False, "S", "V", addresses.ip),
    ("isIP", False, "S", "B", addresses.is_ip),
    ("ip.isCanonical", False, "S", "B", addresses.is_canonical),
    ("family", True, "V", "I", addresses.family),
    ("isUnspecified", True, "V", "B", addresses.is_unspecified),
    ("isLoopback", True, "V", "B", addresses.is_loopback),
    ("isLinkLocalMulticast", True, "V", "B", addresses.is_link_local_multicast),
    ("isLinkLocalUnicast", True, "V", "B", addresses.is_link_local_unicast),
    ("isGlobalUnicast", True, "V", "B", addresses.is_global_unicast),
    ("cidr", False, "S", "V", addresses.cidr),
    ("isCIDR", False, "S", "B", addresses.is_cidr),
    ("containsIP", True, "VS", "B", addresses.contains_ip),
    ("containsIP", True, "VV", "B", addresses.contains_ip),
    ("containsCIDR", True, "VS", "B", addresses.contains_cidr),
    ("containsCIDR", True, "VV", "B", addresses.contains_cidr),
    ("ip", True, "V", "V", addresses.ip_of),
    ("prefixLength", True, "V", "I", addresses.prefix_length),
    ("masked", True, "V", "V", addresses.masked),
    ("url", False, "S", "V", urls.url),
    ("isURL", False, "S", "B", urls.is_url),
    ("getScheme", True, "V", "S", urls.scheme),
    ("getHost", True, "V", "S", urls.host),
    ("getHostname", True, "V", "S", urls.hostname),
    ("getPort", True, "V", "S", urls.port),
    ("getEscapedPath", True, "V", "S", urls.escaped_path),
    ("getQuery", True, "V", "V", urls.query),
    ("find", True, "SS", "S", patterns.find),
    ("findAll", True, "SS", "L", patterns.find_all),
    ("findAll", True, "SSI", "L", patterns.find_all),
    ("isSorted", True, "L", "B", lists.is_sorted),
    ("sum", True, "L", "A", lists.add_up),
    ("min", True, "L", "A", lists.least),
    ("max", True, "L", "A", lists.most),
    ("distinct", True, "L", "L", lists.distinct),
    ("flatten", True, "L", "L", lists.flatten),
    ("flatten", True, "LI", "L", lists.flatten),
    ("slice", True, "LII", "L", lists.cut),
    ("sort", True, "L", "L", lists.sort),
    ("lists.range", False, "I", "L", lists.count_up),
    ("sets.contains", False, "LL", "B", lists.contains),
    ("sets.equivalent", False, "LL", "B", lists.is_equivalent),
    ("sets.intersects", False, "LL", "B", lists.intersects),
)


def declare(cel: Any) -> list[Any]:
    """The functions as `cel`, the library, has them declared."""
    kind = cel.Type
    types = {
        "A": kind.DYN,
        "B": kind.BOOL,
        "D": kind.DOUBLE,
        "I": kind.INT,
        "L": kind.List(kind.DYN),
        "S": kind.STRING,
        "V": kind.Map(kind.STRING, kind.DYN),
    }
    overloads: dict[str, list[Any]] = {}
    for name, is_member, parameters, result, function in _ROWS:
        overload = cel.Overload(
            f"{name}_{'member_' if is_member else ''}{parameters}".replace(".", "_"),
            return_type=types[result],
            parameters=[types[one] for one in parameters],
            is_member=is_member,
            impl=function,
        )
        overloads.setdefault(name, []).append(overload)
    return [cel.FunctionDecl(name, given) for name, given in overloads.items()]
