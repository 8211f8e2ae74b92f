"""The options of a write: field manager, field validation, force of a server-side apply.

A command with `request` was sent by a client of the API: from then on the object has `managedFields`. A
command without comes from the pages or a scenario of Podline. It does not start tracking, but on a tracked
object its fields are owned by the manager name that kubectl would use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..rules.actions import UPDATE
from ..rules.validation.words.field_error import NOT_SUPPORTED, FieldError, forbidden, invalid, required
from ..rules.validation.words.field_error import TOO_LONG as _TOO_LONG
from ..rules.validation.words.refusal import make_invalid

Json = dict[str, Any]
STRICT, WARN, IGNORE = "Strict", "Warn", "Ignore"
ALL = "All"
GROUP = "meta.k8s.io/v1"
MOST_BYTES_OF_A_MANAGER = 128
_OWN_NAMES: Mapping[str, str] = {
    "create": "kubectl-create",
    "apply": "kubectl-client-side-apply",
    "replace": "kubectl-replace",
    "patch": "kubectl-patch",
    "setImage": "kubectl-set",
    "rollout": "kubectl-rollout",
    "taint": "kubectl-taint",
}
_OF_CREATIONS = "CreateOptions"
_KINDS: Mapping[str, str] = {
    "create": _OF_CREATIONS,
    "replace": "UpdateOptions",
    "patch": "PatchOptions",
    "scale": "PatchOptions",
    "delete": "DeleteOptions",
}
_SHOWN = ("dryRun", "fieldManager", "fieldValidation", "force")
_OF_DELETIONS = ("gracePeriodSeconds", "preconditions", "propagationPolicy")


@dataclass(slots=True)
class WriteOptions:
    """`manager`: who owns what is written. `is_request`: a client of the API asks, and fields are tracked.

    `validation`: STRICT, WARN, IGNORE, or "" for what comes from Podline itself. `problems`: what whoever
    read the request's text saw that its value does not show, such as fields given twice, in the API server's
    words. `user`: name and groups of who asks, as reviews show them; None where nobody is known. `patches`:
    JSON patches that mutating webhooks answered. `shown`: the options as reviews show them. `api_version`:
    that which was asked by, "" where nobody said. `warnings` are gathered on the way.
    """

    manager: str = "unknown"
    is_request: bool = False
    is_forced: bool = False
    validation: str = ""
    problems: Sequence[str] = ()
    user: Json | None = None
    patches: list[Any] = field(default_factory=list)
    shown: Json = field(default_factory=dict)
    api_version: str = ""
    warnings: list[str] = field(default_factory=list)

    def warn(self, texts: Sequence[str]) -> None:
        """Say something beside the answer, once."""
        self.warnings += [text for text in texts if text not in self.warnings]


def read_options(command: str, payload: Mapping[str, Any]) -> WriteOptions:
    """The options of a command. Raises Invalid, as the API server refuses options."""
    request = payload.get("request")
    if request is None:
        # An apply of a scenario's step has nobody to ask about conflicts: it takes what it states.
        is_apply = _is_apply(command, payload)
        return WriteOptions("kubectl" if is_apply else _OWN_NAMES.get(command, "kubectl"), is_forced=is_apply)
    _check_options(command, payload, request)
    return WriteOptions(
        request.get("fieldManager") or name_of_agent(request.get("userAgent") or ""),
        True,
        bool(request.get("force")),
        request.get("fieldValidation") or WARN,
        tuple(request.get("problems") or ()),
        request.get("userInfo"),
        request.get("patches") or [],
        show_options(command, payload),
        request.get("apiVersion") or "",
    )


def show_options(command: str, payload: Mapping[str, Any]) -> Json:
    """What a client of the API said beside the object, as a review shows it: the options of its verb."""
    request = payload["request"]
    # What was asked may be carried out as another: a patch of another version is a replacement.
    kind = _KINDS.get(request.get("verb") or command, _OF_CREATIONS)
    found = {"apiVersion": GROUP, "kind": kind}
    found |= {name: request[name] for name in _SHOWN if request.get(name) is not None}
    return found | {name: payload[name] for name in _OF_DELETIONS if payload.get(name) is not None}


def as_operation(shown: Json, operation: str) -> Json:
    """The options of what a write comes to: a patch may create. Where nothing was said, their kind alone."""
    head = {"apiVersion": GROUP, "kind": f"{operation.title()}Options"}
    if operation == UPDATE:
        return head | shown
    return {name: value for name, value in shown.items() if name != "force"} | head


def name_of_agent(user_agent: str) -> str:
    """A manager by its user agent, where it does not name itself: what stands before the first slash."""
    name = user_agent.partition("/")[0]
    text = "".join(letter for letter in name if letter.isprintable())
    return text.encode()[:MOST_BYTES_OF_A_MANAGER].decode(errors="ignore")


def _check_options(command: str, payload: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    errors = [error for check in _CHECKS for error in check(command, payload, request)]
    if errors:
        raise make_invalid(_KINDS.get(command, _OF_CREATIONS), "", errors, GROUP)


def _is_apply(command: str, payload: Mapping[str, Any]) -> bool:
    return command == "patch" and payload.get("type") == "apply"


def _check_force(command: str, payload: Mapping[str, Any], request: Mapping[str, Any]) -> list[FieldError]:
    is_given = request.get("force") is not None and command == "patch"
    if not is_given or _is_apply(command, payload):
        return []
    return [forbidden("force", "may not be specified for non-apply patch")]


def _check_manager(command: str, payload: Mapping[str, Any], request: Mapping[str, Any]) -> list[FieldError]:
    name = request.get("fieldManager") or ""
    if not name and _is_apply(command, payload):
        return [required("fieldManager", "is required for apply patch")]
    errors = []
    if len(name.encode()) > MOST_BYTES_OF_A_MANAGER:
        detail = f"may not be more than {MOST_BYTES_OF_A_MANAGER} bytes"
        errors.append(FieldError("fieldManager", _TOO_LONG, name, detail))
    return errors + [
        invalid("fieldManager", name, f"invalid character U+{ord(letter):04X} (at position {at})")
        for at, letter in enumerate(name[:1000])
        if not letter.isprintable()
    ]


def _check_dry_run(command: str, payload: Mapping[str, Any], request: Mapping[str, Any]) -> list[FieldError]:
    given = request.get("dryRun")
    if not given or set(given) == {ALL}:
        return []
    return [_unsupported("dryRun", list(given), f'"{ALL}"')]


def _check_validation(
    command: str, payload: Mapping[str, Any], request: Mapping[str, Any]
) -> list[FieldError]:
    given = request.get("fieldValidation") or ""
    if given in ("", STRICT, WARN, IGNORE):
        return []
    return [_unsupported("fieldValidation", given, '"", "Ignore", "Strict", "Warn"')]


def _unsupported(path: str, value: Any, supported: str) -> FieldError:
    return FieldError(path, NOT_SUPPORTED, value, f"supported values: {supported}")


_Check = Callable[[str, Mapping[str, Any], Mapping[str, Any]], list[FieldError]]
_CHECKS: Sequence[_Check] = (
    _check_force,
    _check_manager,
    _check_dry_run,
    _check_validation,
)
PLAIN = WriteOptions("kube-controller-manager")
"""Of a component's own write."""
