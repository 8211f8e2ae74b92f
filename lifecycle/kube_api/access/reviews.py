"""Who may do what, and who is asking: answered from the roles of the cluster's users, never stored."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user_model

from lifecycle import tokens
from lifecycle.access import Verb, may
from lifecycle.engine.objects.times import format_time
from lifecycle.engine.rules.validation.words.field_error import FieldError, invalid
from lifecycle.kube_api.access.review_fields import read_spec
from lifecycle.kube_api.asking import objects
from lifecycle.kube_api.asking.asked import Answer, Asked
from lifecycle.kube_api.asking.write_options import raise_invalid
from lifecycle.kube_api.status import bad_request
from lifecycle.reads import virtual_now_ms

Json = dict[str, Any]
GROUP = "authorization.k8s.io"
READING = {"get", "list", "watch"}
_EVERYTHING = ["*"]


def answer(asked: Asked) -> Answer:
    """POST of a review. Raises Refusal."""
    resource = asked.resource
    data, _ = objects.read_object(asked.request, resource.kind, resource.api_version)
    meta = data.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    shown = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": meta}
    return Answer({**shown, **_REVIEWS[resource.kind](asked, {**data, "metadata": meta})}, 201)


def may_do(asked: Asked, verb: str) -> bool:
    """Whether the one who asks may do what rules call by this name."""
    return may(asked.user, asked.cluster, Verb.VIEW if verb in READING else Verb.CHANGE)


# --- access -----------------------------------------------------------------------------------------------


def _own_access(asked: Asked, data: Json) -> Json:
    spec = read_spec(data)
    raise_invalid("", _find_attribute_errors(spec), GROUP)
    attributes = spec.get("resourceAttributes") or spec["nonResourceAttributes"]
    return {"spec": spec, "status": {"allowed": may_do(asked, attributes.get("verb", ""))}}


def _others_access(asked: Asked, data: Json) -> Json:
    spec = read_spec(data)
    errors = _find_attribute_errors(spec)
    if not spec.get("user") and not spec.get("groups"):
        errors.append(invalid("spec.user", "", "at least one of user or group must be specified"))
    raise_invalid("", errors, GROUP)
    return {"spec": spec, "status": {"allowed": _may_other(asked, spec)}}


def _may_other(asked: Asked, spec: Json) -> bool:
    """A user of Podline may what their role says; nobody else is kept from anything by a cluster itself."""
    other = get_user_model().objects.filter(username=spec.get("user") or "").first()
    if other is None:
        return True
    attributes = spec.get("resourceAttributes") or spec.get("nonResourceAttributes") or {}
    verb = Verb.VIEW if attributes.get("verb", "") in READING else Verb.CHANGE
    return may(other, asked.cluster, verb)


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
    if not read_spec(data).get("namespace"):
        raise bad_request("no namespace on request")
    verbs = _EVERYTHING if may_do(asked, "update") else sorted(READING)
    rule = {"verbs": verbs, "apiGroups": _EVERYTHING, "resources": _EVERYTHING}
    path = {"verbs": verbs, "nonResourceURLs": _EVERYTHING}
    # The namespace that was asked about is not repeated.
    return {"spec": {}, "status": {"resourceRules": [rule], "nonResourceRules": [path], "incomplete": False}}


# --- identity ---------------------------------------------------------------------------------------------


def _self(asked: Asked, data: Json) -> Json:
    now = format_time(virtual_now_ms(asked.cluster), asked.cluster.epoch_ms)
    return {"metadata": {"creationTimestamp": now}, "status": {"userInfo": describe_user(asked.user)}}


def _token(asked: Asked, data: Json) -> Json:
    spec = read_spec(data)
    token = spec.get("token")
    if not token:
        raise bad_request("token is required for TokenReview in authentication")
    found = tokens.find(token)
    if found is None or found.cluster_id != asked.cluster.pk or not found.user.is_active:
        return {"spec": spec, "status": {"user": {}, "error": "invalid bearer token"}}
    return {"spec": spec, "status": {"authenticated": True, "user": describe_user(found.user)}}


def describe_user(user: Any) -> Json:
    """A user as Kubernetes describes one."""
    groups = ["system:masters"] if user.is_superuser else []
    return {
        "username": user.get_username(),
        "uid": str(user.pk),
        "groups": [*groups, "system:authenticated"],
    }


_REVIEWS: dict[str, Callable[[Asked, Json], Json]] = {
    "SelfSubjectAccessReview": _own_access,
    "SubjectAccessReview": _others_access,
    "LocalSubjectAccessReview": _local_access,
    "SelfSubjectRulesReview": _rules,
    "SelfSubjectReview": _self,
    "TokenReview": _token,
}
