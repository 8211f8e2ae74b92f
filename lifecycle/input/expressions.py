"""The small language of `--until` and `expect`.

    deployment/web .status.availableReplicas >= 3
    pod/web-0 -n shop condition Ready == True
    deployment/web Available            (short for: condition Available == True)
    pod/web-0 exists
    pod/web-0 gone
    service/web .requests.lostMs == 0   (what was lost so far of the requests to it; .requests.ingress.lost)

An absent number is 0, an absent string "", an absent truth false.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from lifecycle.engine.kinds.registry import find_kind
from lifecycle.engine.objects.condition import ALIASES
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.quantity import parse_quantity
from lifecycle.engine.rules.network.requests import SENDERS
from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass, field

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
FORMS = (
    'write "deployment/web .status.availableReplicas >= 3", "pod/web-0 condition Ready == True", '
    '"deployment/web Available", "pod/web-0 exists" or "pod/web-0 gone", with "-n namespace" after the name '
    "where it is not default"
)
_SUBJECT = late_pattern(
    r"(?P<kind>[A-Za-z][\w.-]*)/(?P<name>[^\s/]+)(\s+-n\s+(?P<namespace>\S+))?\s+(?P<rest>\S.*)"
)
_COMPARISON = late_pattern(r"(?P<left>.+?)\s*(?P<operator>==|!=|>=|<=|>|<)\s*(?P<right>.+)")
_STEP = late_pattern(r"\.(?P<name>[A-Za-z_][\w-]*)|\[(?P<index>\d+)\]|\[['\"](?P<key>[^'\"]+)['\"]\]")
_WITHOUT_CONDITIONS = {"StatefulSet": "availableReplicas", "DaemonSet": "numberAvailable"}
"""Kinds whose controller sets no condition, and what it counts instead (apps/v1 types.go)."""
_CONDITION_NAME = late_pattern(r"[A-Za-z][\w./-]*")
_SERVICE, _REQUESTS, _LOSSES = "Service", "requests", ("lostMs", "lost")


class ExpressionError(ValueError):
    """An expression that cannot be read; the text says what is wrong and what would be right."""


class Cluster(Protocol):
    """What an expression needs of a cluster."""

    def get(self, kind: str, namespace: str | None, name: str) -> Mapping[str, Any] | None: ...

    def sum_requests(self, namespace: str, name: str) -> Mapping[str, Any] | None: ...


class GoingOn(Cluster, Protocol):
    """What is needed of a cluster that is looked at again and again."""

    def version_of(self, kind: str, namespace: str | None, name: str) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it holds, whether the object is there, and what was seen, for people."""

    holds: bool
    exists: bool
    seen: str


@dataclass(frozen=True, slots=True)
class Expression:
    """One readable claim about one object. `test` is `exists`, `gone`, `condition` or `path`."""

    text: str
    kind: str
    namespace: str | None
    name: str
    test: str
    steps: tuple[str | int, ...] = ()
    operator: str = "=="
    wanted: str | int | float | bool = True

    @property
    def key(self) -> tuple[str, str, str]:
        """The object it looks at, as the store names it."""
        return self.kind, self.namespace or "", self.name

    @property
    def is_of_requests(self) -> bool:
        """Whether it is about sums, which grow while no object changes, and stand in none."""
        return self.kind == _SERVICE and self.test == "path" and self.steps[0] == _REQUESTS

    def evaluate(self, cluster: Cluster) -> Verdict:
        """Look at the cluster as it stands."""
        data = cluster.get(self.kind, self.namespace, self.name)
        if self.is_of_requests and data is not None:
            data = {_REQUESTS: cluster.sum_requests(self.namespace or "", self.name) or {}}
        return self.judge(data)

    def judge(self, data: Mapping[str, Any] | None) -> Verdict:
        """The verdict on an object's JSON, or on its absence."""
        exists = data is not None
        if self.test in ("exists", "gone"):
            return Verdict(exists is (self.test == "exists"), exists, "it exists" if exists else "it is gone")
        if data is None:
            return Verdict(False, False, "there is no such object")
        found = _condition_status(data, self.steps[0]) if self.test == "condition" else _dig(data, self.steps)
        value = _align(found, self.wanted)
        # Who sends nothing has lost nothing.
        seen = str(found) if found is not None else "0" if self.is_of_requests else "absent"
        try:
            return Verdict(OPERATORS[self.operator](value, self.wanted), True, seen)
        except TypeError:
            # Text against a number: only == and != make sense, and neither was asked.
            return Verdict(False, True, f"{seen}, which cannot be compared with {self.wanted}")


@dataclass(slots=True)
class Look:
    """An expression that is asked after every instant: its object is read again only when it has changed.

    Sums of requests grow while nothing changes: they are read every time.
    """

    expression: Expression
    _last: tuple[int | None, Verdict] | None = field(init=False, default=None)

    def at(self, cluster: GoingOn) -> Verdict:
        """The verdict on the cluster as it stands."""
        one = self.expression
        if one.is_of_requests:
            return one.evaluate(cluster)
        version = cluster.version_of(one.kind, one.namespace, one.name)
        if self._last is None or self._last[0] != version:
            self._last = version, one.evaluate(cluster)
        return self._last[1]


def parse(text: str) -> Expression:
    """Read one expression. Raises ExpressionError."""
    match = _SUBJECT.fullmatch(text.strip())
    if match is None:
        raise ExpressionError(f'"{text}" is no expression: {FORMS}')
    kind = find_kind(match["kind"])
    if kind is None:
        raise ExpressionError(
            f'"{text}": no kind is called "{match["kind"]}"; use one such as pod, deployment or node,'
            " or spell a custom one in full: Gateway.networking.istio.io"
        )
    namespace = (match["namespace"] or "default") if kind.namespaced else None
    rest = match["rest"].strip()
    subject = (text.strip(), kind.id, namespace, match["name"])
    if rest in ("exists", "gone"):
        return Expression(*subject, rest)
    if _CONDITION_NAME.fullmatch(rest) and not rest.startswith("condition "):
        _need_conditions(kind, subject[0])
        return Expression(*subject, "condition", (rest,), "==", "True")
    comparison = _COMPARISON.fullmatch(rest)
    if comparison is None:
        raise ExpressionError(f'"{text}": cannot read "{rest}": {FORMS}')
    left, sign, right = comparison["left"], comparison["operator"], comparison["right"]
    if left.startswith("condition "):
        if sign not in ("==", "!="):
            raise ExpressionError(f'"{text}": a condition is compared with == or !=, not {sign}')
        _need_conditions(kind, subject[0])
        return Expression(*subject, "condition", (left.split()[1],), sign, _unquote(right))
    if not left.startswith("."):
        raise ExpressionError(f'"{text}": a path begins with a dot, such as .status.phase: {FORMS}')
    asked = Expression(*subject, "path", _parse_path(left, text), sign, _parse_value(right))
    if asked.steps[0] == _REQUESTS:
        _need_sum(asked)
    return asked


def _need_sum(asked: Expression) -> None:
    """Raise ExpressionError for what is told of no requests: it would count as 0."""
    sender, loss = asked.steps[1:-1], asked.steps[-1]
    if asked.kind != _SERVICE:
        # What custom kinds hold, nobody knows.
        if "." not in asked.kind:
            raise ExpressionError(
                f'"{asked.text}": requests go to a Service; ask for "service/web .requests.lost"'
            )
        return
    if len(sender) > 1 or loss not in _LOSSES or not set(sender) <= {*SENDERS}:
        raise ExpressionError(
            f'"{asked.text}": of requests there are .requests.lostMs and .requests.lost,'
            f" and both of one sender: .requests.{SENDERS[0]}.lostMs; senders are {', '.join(SENDERS)}"
        )
    if isinstance(asked.wanted, str | bool):
        raise ExpressionError(f'"{asked.text}": what was lost is a number; compare it with one, such as 0')


def _need_conditions(kind: Kind, text: str) -> None:
    """Raise ExpressionError for a kind that would be waited for in vain."""
    if kind.id in _WITHOUT_CONDITIONS:
        right = f"{text.split()[0]} .status.{_WITHOUT_CONDITIONS[kind.id]} >= 1"
        raise ExpressionError(f'"{text}": a {kind.name} has no conditions; ask for "{right}"')


def _parse_path(path: str, text: str) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    position = 0
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise ExpressionError(
                f'"{text}": cannot read the path from "{path[position:]}" on; '
                "write .a.b, .list[0] or .map['key']"
            )
        steps.append(int(step["index"]) if step["index"] else step["name"] or step["key"])
        position = step.end()
    return tuple(steps)


def _parse_value(text: str) -> str | int | float | bool:
    """A number, true or false, or text; quotes force text."""
    stripped = text.strip()
    if stripped in ("true", "false"):
        return stripped == "true"
    try:
        return int(stripped)
    except ValueError:
        pass
    try:
        return float(stripped)
    except ValueError:
        return _unquote(stripped)


def _unquote(text: str) -> str:
    stripped = text.strip()
    is_quoted = len(stripped) >= 2 and stripped[0] == stripped[-1] and stripped[0] in "\"'"
    return stripped[1:-1] if is_quoted else stripped


def _dig(data: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        if isinstance(step, int):
            data = data[step] if isinstance(data, list) and step < len(data) else None
        else:
            data = data.get(step) if isinstance(data, Mapping) else None
    return data


def _condition_status(data: Mapping[str, Any], name: str | int) -> str | None:
    """The status of a condition, asked for by either name it has; one that is not there yet is absent."""
    conditions = (data.get("status") or {}).get("conditions") or ()
    wanted = ALIASES.get(str(name), name)
    return next((entry.get("status") for entry in conditions if entry.get("type") == wanted), None)


def _align(found: Any, wanted: str | int | float | bool) -> Any:
    """What was found, in the type of what is wanted: absent values, and numbers written as text."""
    if isinstance(wanted, bool):
        return bool(found)
    if isinstance(wanted, str):
        return "" if found is None else str(found).lower() if isinstance(found, bool) else str(found)
    if found is None:
        return 0
    if isinstance(found, str):
        try:
            return parse_quantity(found)
        except ValueError:
            return found
    return found
