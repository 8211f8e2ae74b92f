"""Tokens of service accounts: asked for as from the API server, good for nothing but to be mounted.

Programs in this cluster's containers are simulated: nobody shows such a token to anybody. It is made of the
account and its end, so that it can be told apart, and is signed by nothing.
"""

import base64
import json
from typing import Any

from lifecycle.engine.objects.times import format_time
from lifecycle.engine.rules.validation.words.field_error import FieldError, invalid
from lifecycle.kube_api.access.review_fields import read_spec
from lifecycle.kube_api.asking import objects
from lifecycle.kube_api.asking.asked import Answer, Asked
from lifecycle.kube_api.asking.write_options import raise_invalid
from lifecycle.reads import virtual_now_ms

Json = dict[str, Any]
GROUP, KIND = "authentication.k8s.io", "TokenRequest"
AUDIENCE = "https://kubernetes.default.svc"
_LEAST_SECONDS, _MOST_SECONDS = 600, 1 << 32
_USUAL_SECONDS = 3600


def answer(asked: Asked, account: Json) -> Answer:
    """A TokenRequest with its token. Raises Refusal (400, 422)."""
    data, _ = objects.read_object(asked.request, KIND, f"{GROUP}/v1")
    data = objects.place(data, asked.address, asked.resource)
    spec = read_spec(data)
    seconds = spec.get("expirationSeconds")
    seconds = _USUAL_SECONDS if seconds is None else seconds
    _check(seconds)
    now_ms = virtual_now_ms(asked.cluster)
    epoch_ms, meta = asked.cluster.epoch_ms, account["metadata"]
    audiences = spec.get("audiences") or [AUDIENCE]
    end_ms = now_ms + seconds * 1000
    shown = {
        "kind": KIND,
        "apiVersion": f"{GROUP}/v1",
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "uid": meta["uid"],
            "creationTimestamp": format_time(now_ms, epoch_ms),
        },
        "spec": {
            "audiences": audiences,
            "expirationSeconds": seconds,
            "boundObjectRef": spec.get("boundObjectRef"),
        },
        "status": {
            "token": _make_token(meta, audiences, epoch_ms + now_ms, epoch_ms + end_ms),
            "expirationTimestamp": format_time(end_ms, epoch_ms),
        },
    }
    return Answer(shown, 201)


def _check(seconds: int) -> None:
    errors: list[FieldError] = []
    if seconds < _LEAST_SECONDS:
        errors.append(
            invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
        )
    if seconds > _MOST_SECONDS:
        text = "may not specify a duration larger than 2^32 seconds"
        errors.append(invalid("spec.expirationSeconds", seconds, text))
    raise_invalid(KIND, errors, GROUP)


def _make_token(meta: Json, audiences: list[str], since_ms: int, until_ms: int) -> str:
    account = {"namespace": meta["namespace"], "serviceaccount": {"name": meta["name"], "uid": meta["uid"]}}
    claims = {
        "aud": audiences,
        "exp": until_ms // 1000,
        "iat": since_ms // 1000,
        "iss": AUDIENCE,
        "kubernetes.io": account,
        "sub": f"system:serviceaccount:{meta['namespace']}:{meta['name']}",
    }
    parts = [json.dumps(part, separators=(",", ":")).encode() for part in ({"alg": "none"}, claims)]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts) + "."
