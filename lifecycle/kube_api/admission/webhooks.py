"""The webhooks that are for a request: mutating ones in turn, then validating ones beside each other.

Models apiserver, pkg/admission/plugin/webhook. A write is rehearsed first: so the object is seen as it would
be stored. What mutating webhooks answer goes with the command as JSON patches, so that it stays what it was.
Not asked of: what controllers and pages write, /scale, evictions and bindings, CONNECT. What only a webhook's
patch would make valid is refused before it is asked.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from lifecycle.engine.api.options import as_operation
from lifecycle.engine.api.patching.json_patch import json_patch
from lifecycle.engine.heart.errors import ApiError
from lifecycle.engine.kinds.served import Form
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.releases.release import Release
from lifecycle.engine.rules.actions import CREATE, DELETE, UPDATE
from lifecycle.engine.rules.cel.evaluator import Budget, Failed, Unasked
from lifecycle.engine.rules.policies.conditions import IGNORE, Inputs, is_matched
from lifecycle.engine.rules.policies.matching import Request, match_webhook
from lifecycle.engine.schema.decode import decode
from lifecycle.kube_api.admission.calls import CallFailed, call, read_endpoint
from lifecycle.kube_api.admission.reviews import Verdict, deny, make_review, read_answer
from lifecycle.kube_api.asking.asked import Asked
from lifecycle.kube_api.describing import custom_resources
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.reading import reads
from lifecycle.kube_api.status import Refusal, bad_request
from lifecycle.kube_api.warnings import note
from lifecycle.lean_dataclasses import replace
from lifecycle.models import StoredObject

Json = dict[str, Any]
SECONDS = 30.0
"""The most that all webhooks of a request may take together."""
_MUTATING, _VALIDATING = "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"
_NONE_OF_THEIR_OWN = ("None", "NoneOnDryRun")
_DEFAULT_SECONDS, _MOST_SECONDS = 10, 30
_NAMESPACES = Resource("", "v1", "namespaces", "Namespace", False)

Rehearse = Callable[[Sequence[Any]], Json]


@dataclass(slots=True)
class _Round:
    """One request on its way through the webhooks: JSON patches in their order, and what they warn of."""

    request: Request
    deadline: float
    forms: Mapping[str, Form]
    release: Release
    budget: Budget = field(default_factory=Budget)
    patches: list[list[Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def are_allowed() -> bool:
    """Whether the operator allows any webhook to be called."""
    return bool(settings.WEBHOOKS)


def ask(
    asked: Asked, name: str, old: Json | None, rehearse: Rehearse | None, options: Json
) -> list[list[Any]]:
    """The JSON patches of the webhooks of a write. Raises Refusal as one of them, or its failure, wants it.

    What they warn of is noted, with the refusal of another too.
    `rehearse`: makes the object as it would be stored, with JSON patches on it; None of a deletion.
    `options`: what was said beside the object, as reviews show it.
    """
    mutating, validating = (_list_webhooks(asked, kind) for kind in (_MUTATING, _VALIDATING))
    if not mutating and not validating:
        return []
    forms = _list_forms(asked)
    request = _make_request(asked, name, old, options, forms)
    if request.is_exempt:
        return []
    new = rehearse([]) if rehearse is not None else None
    deadline = time.monotonic() + SECONDS
    found = _Round(_with_object(request, new), deadline, forms, asked.release)
    try:
        _mutate(mutating, found)
        if found.patches and rehearse is not None:
            found.request = replace(found.request, object=rehearse(found.patches))
        _validate(validating, found)
    finally:
        note(asked.request, found.warnings)
    return found.patches


def _list_webhooks(asked: Asked, kind: str) -> list[Json]:
    """Those of one kind, by the names of their configurations, in the order in which they stand there."""
    rows = StoredObject.objects.filter(cluster=asked.cluster, kind=kind, deleted_ms=None).order_by("name")
    return [one for data in rows.values_list("data", flat=True) for one in data.get("webhooks") or ()]


def _make_request(
    asked: Asked, name: str, old: Json | None, options: Json, forms: Mapping[str, Form]
) -> Request:
    resource, address = asked.resource, asked.address
    kind = Kind(resource.api_version, resource.kind, resource.name, resource.namespaced)
    namespace = address.namespace or ""
    if resource.name == "namespaces" and not resource.group:
        namespace = name
    home = reads.find(asked.cluster, _NAMESPACES, None, namespace) if namespace else None
    operation = CREATE if old is None else UPDATE
    return Request(
        operation,
        kind,
        list(forms),
        namespace,
        name,
        address.subresource or "",
        None,
        old,
        asked.caller.info.to_json(),
        home,
        as_operation(options, operation),
        forms,
    )


def _list_forms(asked: Asked) -> dict[str, Form]:
    """How the versions of the kind show its objects, that which was asked by first."""
    resource = asked.resource
    forms = {resource.version: resource.form}
    if resource.custom:
        known = custom_resources.of_cluster(asked.cluster).values()
        alike = (one for one in known if (one.group, one.kind) == (resource.group, resource.kind))
        return forms | {one.version: one.form for one in alike}
    if resource.stored_group == resource.group:
        forms |= resource.served.list_forms(resource.stored_version)
    return forms


def _with_object(request: Request, new: Json | None) -> Request:
    if new is None:
        return replace(request, operation=DELETE)
    return replace(request, object=new, name=request.name or new["metadata"].get("name", ""))


def add_patches(payload: Json, patches: Sequence[Any]) -> Json:
    """A command with what mutating webhooks made of its object."""
    return {**payload, "request": {**payload["request"], "patches": list(patches)}} if patches else payload


# --- mutating ---------------------------------------------------------------------------------------------


def _mutate(webhooks: Sequence[Json], found: _Round) -> None:
    """Ask in turn; those that want it are asked again, once, if another has changed the object since."""
    last: dict[int, Any] = {}
    for index, webhook in enumerate(webhooks):
        if _mutate_by(webhook, found) and webhook.get("reinvocationPolicy") == "IfNeeded":
            last[index] = found.request.object
    for index, seen in last.items():
        if found.request.object != seen:
            _mutate_by(webhooks[index], found)


def _mutate_by(webhook: Json, found: _Round) -> bool:
    """Whether a webhook was asked; what it changes is changed."""
    verdict = _ask_one(webhook, found, is_mutating=True)
    if verdict is None:
        return False
    if verdict.patch:
        _apply(webhook, verdict, found)
    return True


def _apply(webhook: Json, verdict: Verdict, found: _Round) -> None:
    """Patch the object in the version that the webhook saw; what is kept fits the object as it is stored."""
    name, before, patch = webhook.get("name"), found.request.object, verdict.patch
    seen = found.request.as_version(verdict.version).object
    if before is None or seen is None:
        why = "attempted to modify the object, which is not supported for this operation"
        raise _internal(f'admission webhook "{name}" {why}')
    try:
        changed = json_patch(seen, patch)
    except ApiError as problem:
        raise _internal(problem.message) from None
    if not isinstance(changed, dict) or not isinstance(changed.get("metadata"), dict):
        raise _internal(f'admission webhook "{name}" left no object')
    if seen != before:
        changed = {**changed, "apiVersion": seen["apiVersion"], "kind": seen["kind"]}
        changed = _read_as_stored(changed, found, verdict.version) | {"apiVersion": before["apiVersion"]}
        patch = list(find_difference(before, changed))
    found.patches.append(patch)
    found.request = replace(found.request, object=changed)


def _read_as_stored(changed: Json, found: _Round, version: str) -> Json:
    """Raises Refusal for what is no object of its kind."""
    read = found.forms[version].read
    if read is None:
        return changed
    try:
        return read(decode(changed, found.release))
    except ValueError as problem:
        raise _internal(str(problem)) from None


def find_difference(before: Mapping[str, Any], after: Json, path: str = "") -> Iterator[Json]:
    """A JSON patch that makes one of the other, by single fields: who writes others meanwhile keeps them."""
    for name in before:
        if name not in after:
            yield {"op": "remove", "path": path + _point_to(name)}
    for name, value in after.items():
        old = before.get(name)
        if isinstance(value, dict) and isinstance(old, dict):
            yield from find_difference(old, value, path + _point_to(name))
        elif name not in before or old != value:
            yield {"op": "add", "path": path + _point_to(name), "value": value}


def _point_to(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")


# --- validating -------------------------------------------------------------------------------------------


def _validate(webhooks: Sequence[Json], found: _Round) -> None:
    """Ask all at once. Raises the first refusal, in their order."""
    if not webhooks:
        return
    with ThreadPoolExecutor(max_workers=4) as pool:
        results = list(pool.map(lambda one: _try_one(one, found), webhooks))
    for problem in results:
        if problem is not None:
            raise problem


def _try_one(webhook: Json, found: _Round) -> Refusal | None:
    try:
        _ask_one(webhook, found, is_mutating=False)
    except Refusal as problem:
        return problem
    return None


# --- one webhook ------------------------------------------------------------------------------------------


def _ask_one(webhook: Json, found: _Round, *, is_mutating: bool) -> Verdict | None:
    """The verdict of a webhook; None where it is not asked, or its failure is passed over. Raises Refusal."""
    request, name = found.request, str(webhook.get("name"))
    version = match_webhook(webhook, request)
    if version is None:
        return None
    policy = webhook.get("failurePolicy") or "Fail"
    inputs = Inputs(request, version, found.budget)
    try:
        if not is_matched(webhook.get("matchConditions") or (), inputs, policy):
            return None
        verdict = _call(webhook, found, version, is_mutating)
    except Failed as problem:
        raise _internal(str(problem)) from None
    except Unasked as why:
        found.warnings.append(f"webhook {name} is not asked: {why}")
        return None
    except CallFailed as problem:
        if policy == IGNORE:
            return None
        raise _internal(f'failed calling webhook "{name}": {problem}') from None
    found.warnings += verdict.warnings
    if not verdict.is_allowed:
        raise deny(name, verdict.status)
    return verdict


def _call(webhook: Json, found: _Round, version: str, is_mutating: bool) -> Verdict:
    """Raises CallFailed, Unasked where the operator has not allowed its address, Refusal of a dry run."""
    request = found.request
    endpoint = read_endpoint(webhook.get("clientConfig") or {})
    if endpoint.address is None:
        raise Unasked(f"the operator of this server has not allowed {endpoint.key} (WEBHOOKS)")
    if request.is_dry_run and webhook.get("sideEffects") not in _NONE_OF_THEIR_OWN:
        raise bad_request(f'admission webhook "{webhook.get("name")}" does not support dry run')
    if "v1" not in (webhook.get("admissionReviewVersions") or ()):
        raise Unasked("it does not take AdmissionReviews of v1")
    review = make_review(request, version)
    left = found.deadline - time.monotonic()
    if left <= 0:
        raise CallFailed("failed to call webhook: context deadline exceeded")
    return read_answer(review, call(endpoint, review, min(_read_seconds(webhook), left)), is_mutating)


def _read_seconds(webhook: Json) -> float:
    seconds = webhook.get("timeoutSeconds") or _DEFAULT_SECONDS
    return float(min(max(seconds, 1), _MOST_SECONDS))


def _internal(message: str) -> Refusal:
    details = {"causes": [{"message": message}]}
    return Refusal(500, f"Internal error occurred: {message}", "InternalError", details)
