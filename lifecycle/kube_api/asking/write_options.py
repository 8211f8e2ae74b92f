"""What a write says beside its object, in the query or in the body of a deletion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lifecycle.engine.rules.validation.words.field_error import FieldError, invalid, not_supported
from lifecycle.engine.schema.scalars import name_go_kind
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.status import Refusal, bad_request

Json = dict[str, Any]
HEADER_TYPE = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
"""What Go reads an object's header into."""
_MOST_AGENT = 256
_POLICIES = ("Foreground", "Background", "Orphan")


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """Of a deletion. `propagation` None: as the kind has it."""

    is_dry_run: bool = False
    grace_seconds: int | None = None
    propagation: str | None = None
    preconditions: Json | None = None


def request_of(options: Options, user_agent: str, problems: Sequence[str] = ()) -> Json:
    """What a command is told of a create, update or patch; the engine refuses what is wrong with it.

    `problems`: what a strict reader complains of in the text of the body.
    """
    told: Json = {name: options[name] for name in ("fieldManager", "fieldValidation") if name in options}
    if "force" in options:
        told["force"] = options.flag("force")
    if "dryRun" in options:
        told["dryRun"] = options.every("dryRun")
    return {**told, "userAgent": user_agent[:_MOST_AGENT], "problems": list(problems)}


def read_delete_options(options: Options, body: Any) -> DeleteOptions:
    """DeleteOptions: those of the body, or where there is none those of the query. Raises Refusal."""
    given = _from_query(options) if body is None else _from_body(body)
    policy, orphans = given.get("propagationPolicy"), given.get("orphanDependents")
    errors: list[FieldError] = []
    if policy is not None and orphans is not None:
        detail = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(invalid("propagationPolicy", policy, detail))
    if policy is not None and policy not in _POLICIES:
        errors.append(not_supported("propagationPolicy", policy, (*_POLICIES, "nil")))
    dry_run = given.get("dryRun") or []
    errors += _check_dry_run(dry_run)
    raise_invalid("DeleteOptions", errors)
    if orphans is not None:
        policy = "Orphan" if orphans else "Background"
    preconditions = {
        name: value for name, value in (given.get("preconditions") or {}).items() if value is not None
    }
    return DeleteOptions(bool(dry_run), given.get("gracePeriodSeconds"), policy, preconditions or None)


def raise_invalid(kind: str, errors: Sequence[FieldError], group: str = "meta.k8s.io") -> None:
    """Raise Refusal (422) for options or reviews that break rules, if any."""
    if not errors:
        return
    texts = list(dict.fromkeys(map(str, errors)))
    said = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    causes = [{"reason": error.type, "message": error.body, "field": error.path} for error in errors]
    details: Json = {"group": group, **({"kind": kind} if kind else {}), "causes": causes}
    raise Refusal(422, f'{kind}.{group} "" is invalid: {said}', "Invalid", details)


def raise_invalid_object(
    resource: Resource, name: str, path: str, value: Any, detail: str, kind: str = ""
) -> None:
    """Raise Refusal (422) for one field of an object; `kind` where it is not that of the resource."""
    error = invalid(path, value, detail)
    kind = kind or (f"{resource.kind}.{resource.group}" if resource.group else resource.kind)
    causes = [{"reason": error.type, "message": error.body, "field": error.path}]
    name_of_kind, _, group = kind.partition(".")
    head: Json = {"name": name} | ({"group": group} if group else {})
    details = {**head, "kind": name_of_kind, "causes": causes}
    raise Refusal(422, f'{kind} "{name}" is invalid: {error}', "Invalid", details)


def _check_dry_run(values: list[str]) -> list[FieldError]:
    return [] if set(values) <= {"All"} else [not_supported("dryRun", values, ["All"])]


def _from_query(options: Options) -> Json:
    given: Json = {
        "dryRun": options.every("dryRun"),
        "gracePeriodSeconds": options.whole("gracePeriodSeconds"),
    }
    if "orphanDependents" in options:
        given["orphanDependents"] = options.flag("orphanDependents")
    if options.get("propagationPolicy"):
        given["propagationPolicy"] = options["propagationPolicy"]
    return given


# Of each field: what Go calls its type, and which values are of it.
_TYPES: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "gracePeriodSeconds": ("int64", int),
    "orphanDependents": ("bool", bool),
    "propagationPolicy": ("v1.DeletionPropagation", str),
    "dryRun": ("[]string", list),
    "preconditions": ("v1.Preconditions", dict),
}


def _from_body(body: Any) -> Json:
    if not isinstance(body, dict):
        said = f"json: cannot unmarshal {name_go_kind(body)} into Go value of type"
        raise bad_request(f"couldn't get version/kind; json parse error: {said} {HEADER_TYPE}")
    kind, version = body.get("kind") or "DeleteOptions", body.get("apiVersion") or "v1"
    if kind != "DeleteOptions":
        scheme = 'in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"'
        raise bad_request(f'no kind "{kind}" is registered for version "{version}" {scheme}')
    for name, (go_type, wanted) in _TYPES.items():
        value = body.get(name)
        if value is None:
            continue
        is_fitting = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
        if name == "dryRun" and is_fitting:
            is_fitting = all(isinstance(one, str) for one in value)
        if name == "preconditions" and is_fitting:
            is_fitting = all(isinstance(one, str | None) for one in value.values())
        if not is_fitting or (wanted is int and not -(2**31) < value < 2**31):
            raise bad_request(
                f"json: cannot unmarshal {name_go_kind(value)} into Go struct field"
                f" DeleteOptions.{name} of type {go_type}"
            )
    known = {"uid", "resourceVersion"}
    preconditions = {name: one for name, one in (body.get("preconditions") or {}).items() if name in known}
    return {**body, "preconditions": preconditions}
