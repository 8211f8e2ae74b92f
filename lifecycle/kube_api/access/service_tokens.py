"""Tokens of service accounts: signed for one cluster, and good until they end by its clock.

Models the JSON Web Tokens of pkg/serviceaccount. They are signed with a key that is made of the
installation's secret and the cluster's own id, so that no other cluster takes them; and they say for which
user of Podline they were made, who may do no more by them than otherwise.
"""

import base64
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth import get_user_model

from lifecycle.engine.rules.access.accounts import PREFIX, make_account_user
from lifecycle.engine.rules.access.attributes import UserInfo, quote_all
from lifecycle.models import Cluster, StoredObject
from lifecycle.reads import virtual_now_ms

Json = dict[str, Any]
AUDIENCE = "https://kubernetes.default.svc"
"""Of the API server itself, and its name as the one who issues."""
MOST_LETTERS = 16 * 1024
_HEADER = {"alg": "HS256", "typ": "JWT"}
_OURS, _KUBERNETES = "podline.dev", "kubernetes.io"
BOUND_KINDS = {"Pod": "pod", "Secret": "secret", "Node": "node"}
_EXTRA = "authentication.kubernetes.io/"


class NotGood(Exception):
    """A token that is one of a service account, and not good any more, or not for this."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What a good token says."""

    user: Any
    cluster: Cluster
    info: UserInfo
    audiences: tuple[str, ...]


def make_token(cluster: Cluster, user: Any, account: Json, spec: Json, bound: Json) -> str:
    """A token for a service account, as its request wants it; `bound`: by kind what it ends with."""
    meta = account["metadata"]
    since = (cluster.epoch_ms + virtual_now_ms(cluster)) // 1000
    claims = {
        "aud": spec["audiences"],
        "exp": since + spec["expirationSeconds"],
        "iat": since,
        "iss": AUDIENCE,
        "jti": str(uuid4()),
        _KUBERNETES: {
            "namespace": meta["namespace"],
            **bound,
            "serviceaccount": {"name": meta["name"], "uid": meta["uid"]},
        },
        "nbf": since,
        _OURS: {"cluster": str(cluster.uuid), "user": user.pk},
        "sub": f"{PREFIX}{meta['namespace']}:{meta['name']}",
    }
    signed = f"{_encode(_HEADER)}.{_encode(claims)}"
    return f"{signed}.{_sign(cluster.uuid, signed)}"


def verify(
    token: str, audiences: Sequence[str] = (AUDIENCE,), within: Cluster | None = None
) -> Verified | None:
    """What a good token says; None of what no cluster here, or another than `within`, has signed.

    Raises NotGood.
    """
    claims = _read(token)
    if claims is None:
        return None
    ours = claims[_OURS]
    cluster = Cluster.objects.select_related("owner").filter(uuid=ours["cluster"]).first()
    user = get_user_model().objects.filter(pk=ours["user"]).first()
    if cluster is None or user is None or not user.is_active or (within or cluster).pk != cluster.pk:
        return None
    shared = tuple(one for one in claims["aud"] if one in audiences)
    if not shared:
        raise NotGood(
            f"token audiences {quote_all(claims['aud'])} is invalid for the target audiences"
            f" {quote_all(list(audiences))}"
        )
    # One clock says when it began and when it ends: there is no skew to be lenient about.
    if (cluster.epoch_ms + virtual_now_ms(cluster)) // 1000 >= claims["exp"]:
        raise NotGood("service account token has expired")
    return Verified(user, cluster, _find_account(cluster, claims), shared)


def _find_account(cluster: Cluster, claims: Json) -> UserInfo:
    """The service account of a token: it is there, as is whatever the token ends with. Raises NotGood."""
    told = claims[_KUBERNETES]
    namespace, account = told["namespace"], told["serviceaccount"]
    uid = _find_uid(cluster, "ServiceAccount", namespace, account["name"])
    if uid is None:
        raise NotGood(f'serviceaccounts "{account["name"]}" not found')
    if uid != account["uid"]:
        raise NotGood(f"service account UID ({uid}) does not match claim ({account['uid']})")
    extra = {f"{_EXTRA}credential-id": [f"JTI={claims['jti']}"]}
    for kind, word in BOUND_KINDS.items():
        if word not in told:
            continue
        # The node of a pod is only told of.
        if word != "node" or "pod" not in told:
            _require_bound(cluster, kind, namespace, told[word])
        if word != "secret":
            extra[f"{_EXTRA}{word}-name"] = [told[word]["name"]]
            extra[f"{_EXTRA}{word}-uid"] = [told[word]["uid"]]
    return make_account_user(namespace, account["name"], uid, extra)


def _require_bound(cluster: Cluster, kind: str, namespace: str, reference: Json) -> None:
    uid = _find_uid(cluster, kind, None if kind == "Node" else namespace, reference["name"])
    if uid is None:
        raise NotGood("service account token has been invalidated")
    if uid != reference["uid"]:
        word = BOUND_KINDS[kind]
        raise NotGood(
            f"{kind} UID ({uid}) does not match service account {word} ref claim ({reference['uid']})"
        )


def _find_uid(cluster: Cluster, kind: str, namespace: str | None, name: str) -> str | None:
    rows = StoredObject.objects.filter(
        cluster=cluster, kind=kind, group="", namespace=namespace, name=name, deleted_ms=None
    )
    return rows.values_list("uid", flat=True).first()


# --- the form of a token ----------------------------------------------------------------------------------


def _encode(part: Json) -> str:
    return _write(json.dumps(part, separators=(",", ":")).encode())


def _write(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


def _sign(cluster: UUID, signed: str) -> str:
    key = hmac.digest(str(settings.SECRET_KEY).encode(), f"service accounts of {cluster}".encode(), "sha256")
    return _write(hmac.digest(key, signed.encode(), "sha256"))


def _read(token: str) -> Json | None:
    """The claims of a token that was signed here; None of any other text."""
    signed, _, signature = token.rpartition(".")
    head, dot, body = signed.partition(".")
    if not dot or len(token) > MOST_LETTERS or not token.isascii() or _decode(head) != _HEADER:
        return None
    claims = _decode(body)
    try:
        cluster = UUID(claims[_OURS]["cluster"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return claims if hmac.compare_digest(signature, _sign(cluster, signed)) else None


def _decode(part: str) -> Any:
    """What a part of a token says; None of what is no JSON in base64."""
    try:
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        return None
