"""Who may do what, and who is asking: answered from the roles of the cluster, never stored."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user_model

from lifecycle import tokens
from lifecycle.access import Verb, may
from lifecycle.engine.objects.times import format_time
from lifecycle.engine.rules.access.attributes import Attributes, UserInfo, quote_all
from lifecycle.engine.rules.access.policy import Decision
from lifecycle.engine.rules.access.rules import Rule
from lifecycle.engine.rules.validation.words.field_error import FieldError, invalid
from lifecycle.kube_api.access import service_tokens
from lifecycle.kube_api.access.authorization import decide_access
from lifecycle.kube_api.access.callers import READING, Caller, describe_user
from lifecycle.kube_api.access.policies import load_policy
from lifecycle.kube_api.access.review_fields import read_spec
from lifecycle.kube_api.asking import objects
from lifecycle.kube_api.asking.asked import Answer, Asked
from lifecycle.kube_api.asking.write_options import raise_invalid
from lifecycle.kube_api.status import bad_request
from lifecycle.reads import virtual_now_ms

Json = dict[str, Any]
GROUP = "authorization.k8s.io"
_EVERYTHING = ["*"]


def answer(asked: Asked) -> Answer:
    """POST of a review. Raises Refusal."""
    resource = asked.resource
    data, _ = objects.read_object(asked.request, resource.kind, resource.api_version)
    meta = data.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    shown = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": meta}
    return Answer({**shown, **_REVIEWS[resource.kind](asked, {**data, "metadata": meta})}, 201)


# --- access -----------------------------------------------------------------------------------------------


def _own_access(asked: Asked, data: Json) -> Json:
    spec = read_spec(data)
    raise_invalid("", _find_attribute_errors(spec), GROUP)
    return {"spec": spec, "status": _tell(decide_access(asked.caller, _read_attributes(spec)))}


def _others_access(asked: Asked, data: Json) -> Json:
    spec = read_spec(data)
    errors = _find_attribute_errors(spec)
    if not spec.get("user") and not spec.get("groups"):
        errors.append(invalid("spec.user", "", "at least one of user or group must be specified"))
    raise_invalid("", errors, GROUP)
    return {"spec": spec, "status": _tell(_decide_for(asked, spec))}


def _decide_for(asked: Asked, spec: Json) -> Decision:
    """A user of Podline may what their role in it says; of all others the cluster's own roles decide."""
    attributes, name = _read_attributes(spec), spec.get("user") or ""
    if not spec.get("groups"):
        other = get_user_model().objects.filter(username=name).first()
        if other is not None and may(other, asked.cluster, Verb.VIEW):
            return decide_access(
                Caller(other, asked.cluster, describe_user(other, asked.cluster)), attributes
            )
    info = UserInfo(name, tuple(spec.get("groups") or ()), spec.get("uid") or "")
    return load_policy(asked.cluster, attributes.namespace).decide(info, attributes)


def _read_attributes(spec: Json) -> Attributes:
    """What a review asks about."""
    if "nonResourceAttributes" in spec:
        given = spec["nonResourceAttributes"]
        return Attributes(given.get("verb", ""), path=given.get("path", ""))
    given = spec["resourceAttributes"]
    names = ("verb", "group", "resource", "subresource", "namespace", "name")
    return Attributes(**{name: given.get(name, "") for name in names})


def _tell(decision: Decision) -> Json:
    return {"allowed": decision.is_allowed} | ({"reason": decision.reason} if decision.reason else {})


def _local_access(asked: Asked, data: Json) -> Json:
    spec, here = read_spec(data), asked.address.namespace
    given = (spec.get("resourceAttributes") or {}).get("namespace")
    errors: list[FieldError] = []
    if "nonResourceAttributes" in spec:
        detail = "disallowed on this kind of request"
        errors.append(invalid("spec.nonResourceAttributes", _show_path(spec), detail))
    if given != here:
        errors.append(
            invalid("spec.resourceAttributes.namespace", given or "", "must match metadata.namespace")
        )
    raise_invalid("", errors, GROUP)
    return _others_access(asked, data)


def _find_attribute_errors(spec: Json) -> list[FieldError]:
    has_resource, has_path = "resourceAttributes" in spec, "nonResourceAttributes" in spec
    if has_resource and has_path:
        detail = "cannot be specified in combination with resourceAttributes"
        return [invalid("spec.nonResourceAttributes", _show_path(spec), detail)]
    if not has_resource and not has_path:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [invalid("spec.resourceAttributes", None, detail)]
    return []


def _show_path(spec: Json) -> Json:
    given = spec["nonResourceAttributes"]
    return {"Path": given.get("path", ""), "Verb": given.get("verb", "")}


def _rules(asked: Asked, data: Json) -> Json:
    namespace = read_spec(data).get("namespace")
    if not namespace:
        raise bad_request("no namespace on request")
    rules, problem = _list_rules(asked, namespace)
    status = {
        "resourceRules": [_show_rule(one, _OF_RESOURCES) for one in rules if one.get("resources")],
        "nonResourceRules": [_show_rule(one, _OF_PATHS) for one in rules if one.get("nonResourceURLs")],
        "incomplete": False,
    }
    # The namespace that was asked about is not repeated.
    return {"spec": {}, "status": status | ({"evaluationError": problem} if problem else {})}


_OF_RESOURCES = ("verbs", "apiGroups", "resources", "resourceNames")
_OF_PATHS = ("verbs", "nonResourceURLs")
_LOOKING: tuple[Rule, ...] = (
    {"verbs": sorted(READING), "apiGroups": _EVERYTHING, "resources": _EVERYTHING},
    {"verbs": ["get"], "nonResourceURLs": _EVERYTHING},
)


_ALL: tuple[Rule, ...] = (
    {"verbs": _EVERYTHING, "apiGroups": _EVERYTHING, "resources": _EVERYTHING},
    {"verbs": _EVERYTHING, "nonResourceURLs": _EVERYTHING},
)


def _list_rules(asked: Asked, namespace: str) -> tuple[list[Rule], str]:
    """The rules that hold for the one who asks: who has the cluster, or looks at it, is held to no roles."""
    caller = asked.caller
    if not caller.is_restricted:
        return list(_ALL if caller.may("update") else _LOOKING), ""
    return load_policy(asked.cluster, namespace).list_rules(caller.info, namespace)


def _show_rule(rule: Rule, fields: tuple[str, ...]) -> Json:
    return {name: rule[name] for name in fields if rule.get(name)}


# --- identity ---------------------------------------------------------------------------------------------


def _self(asked: Asked, data: Json) -> Json:
    now = format_time(virtual_now_ms(asked.cluster), asked.cluster.epoch_ms)
    return {
        "metadata": {"creationTimestamp": now},
        "status": {"userInfo": asked.caller.info.to_json()},
    }


def _token(asked: Asked, data: Json) -> Json:
    spec = read_spec(data)
    token, audiences = spec.get("token"), spec.get("audiences") or [service_tokens.AUDIENCE]
    if not token:
        raise bad_request("token is required for TokenReview in authentication")
    try:
        verified = service_tokens.verify(token, audiences, asked.cluster)
    except service_tokens.NotGood as problem:
        return _tell_bad_token(spec, f"[{_BAD_TOKEN}, {problem}]")
    if verified is not None:
        return _tell_good_token(spec, verified.info, verified.audiences)
    found = tokens.find(token)
    if found is None or found.cluster_id != asked.cluster.pk or not found.user.is_active:
        return _tell_bad_token(spec, _BAD_TOKEN)
    if service_tokens.AUDIENCE not in audiences:
        return _tell_bad_token(spec, f"[{_BAD_TOKEN}, token is not for the audiences {quote_all(audiences)}]")
    info = describe_user(found.user, asked.cluster)
    return _tell_good_token(spec, info, (service_tokens.AUDIENCE,))


_BAD_TOKEN = "invalid bearer token"


def _tell_bad_token(spec: Json, problem: str) -> Json:
    return {"spec": spec, "status": {"user": {}, "error": problem}}


def _tell_good_token(spec: Json, info: UserInfo, audiences: tuple[str, ...]) -> Json:
    status = {"authenticated": True, "user": info.to_json(), "audiences": list(audiences)}
    return {"spec": spec, "status": status}


_REVIEWS: dict[str, Callable[[Asked, Json], Json]] = {
    "SelfSubjectAccessReview": _own_access,
    "SubjectAccessReview": _others_access,
    "LocalSubjectAccessReview": _local_access,
    "SelfSubjectRulesReview": _rules,
    "SelfSubjectReview": _self,
    "TokenReview": _token,
}
