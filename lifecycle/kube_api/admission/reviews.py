"""AdmissionReview v1: what a webhook is asked, and what its answer says (request/admissionreview.go)."""

import base64
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lifecycle.engine.rules.limits.json_bounds import read_json
from lifecycle.engine.rules.policies.conditions import show_request
from lifecycle.engine.rules.policies.matching import Request
from lifecycle.kube_api.admission.calls import CallFailed
from lifecycle.kube_api.status import Refusal

Json = dict[str, Any]
VERSION, KIND = "admission.k8s.io/v1", "AdmissionReview"
_MOST_WARNINGS, _MOST_LETTERS = 50, 1_000


@dataclass(slots=True)
class Verdict:
    """A readable answer. `patch`: the operations of a JSON patch. `status`: what a denial says.

    `version`: that in which the webhook saw the object.
    """

    is_allowed: bool
    patch: list[Any] = field(default_factory=list)
    warnings: Sequence[str] = ()
    status: Json | None = None
    version: str = ""


def make_review(request: Request, version: str) -> Json:
    """A review of a request, in a version of its kind."""
    seen = request.as_version(version)
    objects = {"object": seen.object, "oldObject": seen.old}
    asked = {"uid": str(uuid.uuid4()), **show_request(request, version), **objects}
    return {"apiVersion": VERSION, "kind": KIND, "request": asked}


def read_answer(review: Json, answer: Any, is_mutating: bool) -> Verdict:
    """What was answered. Raises CallFailed for what is no answer to this review."""
    response = answer.get("response") if isinstance(answer, dict) else None
    if not isinstance(response, dict):
        raise _invalid("webhook response was absent")
    uid, wanted = response.get("uid"), review["request"]["uid"]
    if uid != wanted:
        raise _invalid(f'expected response.uid="{wanted}", got "{_show(uid or "")}"')
    if (answer.get("apiVersion"), answer.get("kind")) != (VERSION, KIND):
        group, _, version = str(answer.get("apiVersion") or "").rpartition("/")
        found = f"{_show(group)}/{_show(version)}, Kind={_show(answer.get('kind') or '')}"
        raise _invalid(f"expected webhook response of admission.k8s.io/v1, Kind={KIND}, got {found}")
    warnings = [
        _show(one) for one in _list(response.get("warnings"))[:_MOST_WARNINGS] if isinstance(one, str)
    ]
    status = response.get("status")
    return Verdict(
        response.get("allowed") is True,
        _read_patch(response, is_mutating),
        warnings,
        status if isinstance(status, dict) else None,
        review["request"]["kind"]["version"],
    )


def deny(name: str, status: Json | None) -> Refusal:
    """The refusal that a webhook's denial is, whatever it says of itself (errors/statuserror.go)."""
    given = status or {}
    code, message, reason = given.get("code"), given.get("message"), given.get("reason")
    why = next(
        (f": {_show(one)}" for one in (message, reason) if isinstance(one, str) and one),
        " without explanation",
    )
    is_code = isinstance(code, int) and not isinstance(code, bool) and 400 <= code <= 599
    return Refusal(
        code if is_code and code is not None else 400,
        f'admission webhook "{_show(name)}" denied the request{why}',
        _show(reason) if isinstance(reason, str) else "",
    )


def _read_patch(response: Json, is_mutating: bool) -> list[Any]:
    patch, kind = response.get("patch"), response.get("patchType")
    if not is_mutating:
        for name, given in (("patch", patch), ("patchType", kind)):
            if given:
                raise _invalid(f"validating webhook may not return response.{name}")
        return []
    if patch and not kind:
        raise _invalid("webhook returned response.patch but not response.patchType")
    if kind and not patch:
        raise _invalid("webhook returned response.patchType but not response.patch")
    if not patch:
        return []
    if kind != "JSONPatch":
        raise CallFailed(f'unsupported patch type "{_show(kind)}"')
    try:
        operations = read_json(base64.b64decode(str(patch), validate=True).decode())
    except ValueError:
        raise CallFailed("received undecodable patch in webhook response: it is no base64 of JSON") from None
    if not isinstance(operations, list):
        raise CallFailed("received undecodable patch in webhook response: it is no list of operations")
    return operations


def _invalid(why: str) -> CallFailed:
    return CallFailed(f"received invalid webhook response: {why}")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _show(value: Any) -> str:
    """What a webhook says, as it can stand in a message: printable, and not beyond all bounds."""
    text = str(value)[:_MOST_LETTERS].encode(errors="replace").decode()
    return "".join(letter if letter.isprintable() else " " for letter in text)
