"""What operators make for their custom resources, by the kind.

Names and keys are those of each project's documentation: cert-manager, External Secrets, Sealed Secrets,
Vault Secrets Operator, 1Password Connect, Elastic Cloud on Kubernetes and CloudNativePG. That the operator is
there, and that whom it asks has an answer, is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .made import TLS_KEYS, TLS_TYPE, Made

Json = Mapping[str, Any]
Finder = Callable[[str, str, Json], list[Made]]
"""Namespace, name and spec of an object; gives what is made for it."""
_FORMATS = {"CombinedPEM": "tls-combined.pem", "DER": "key.der"}
_DATABASE_KEYS = tuple("dbname host jdbc-uri password pgpass port uri user username".split())


def find_made_for(kind_id: str, namespace: str, name: str, spec: Any) -> list[Made]:
    """What the operator of a custom resource makes for it; nothing where its spec is none."""
    finder = CUSTOM_MAKERS.get(kind_id)
    return finder(namespace, name, spec) if finder is not None and isinstance(spec, Mapping) else []


def _map(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def _maps(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _for_certificate(namespace: str, name: str, spec: Json) -> list[Made]:
    secret = str(spec.get("secretName") or "")
    keys = [
        *TLS_KEYS,
        *(_FORMATS.get(str(one.get("type")), "") for one in _maps(spec.get("additionalOutputFormats"))),
    ]
    for store, suffix in (("jks", "jks"), ("pkcs12", "p12")):
        if _map(_map(spec.get("keystores")).get(store)).get("create"):
            keys += [f"keystore.{suffix}", f"truststore.{suffix}"]
    made = Made(
        "cert-manager", namespace, secret, tuple(filter(None, keys)), secret_type=TLS_TYPE, joins=True
    )
    return [made] if secret else []


def _for_external_secret(namespace: str, name: str, spec: Json) -> list[Made]:
    target = _map(spec.get("target"))
    policy = target.get("creationPolicy") or "Owner"
    if policy == "None":
        return []
    template = _map(target.get("template"))
    templated = [str(key) for key in _map(template.get("data"))]
    keys = [str(one["secretKey"]) for one in _maps(spec.get("data")) if one.get("secretKey")]
    # A template with data takes the place of what was fetched, unless it says that it joins it.
    if templated and template.get("mergePolicy") != "Merge":
        keys = []
    made = Made(
        "External Secrets",
        namespace,
        str(target.get("name") or name),
        tuple(dict.fromkeys([*keys, *templated])),
        secret_type=str(template.get("type") or "Opaque"),
        has_other_keys=bool(template.get("templateFrom") or (spec.get("dataFrom") and not templated)),
        joins=policy == "Merge",
        creates=policy != "Merge",
        is_owned=policy == "Owner",
    )
    return [made]


def _for_sealed_secret(namespace: str, name: str, spec: Json) -> list[Made]:
    template = _map(spec.get("template"))
    keys = dict.fromkeys([*_map(spec.get("encryptedData")), *_map(template.get("data"))])
    kind = str(template.get("type") or "Opaque")
    return [Made("Sealed Secrets", namespace, name, tuple(map(str, keys)), secret_type=kind, is_owned=True)]


def _for_vault_secret(namespace: str, name: str, spec: Json) -> list[Made]:
    destination = _map(spec.get("destination"))
    if not destination.get("name"):
        return []
    creates = bool(destination.get("create"))
    return [
        Made(
            "Vault Secrets Operator",
            namespace,
            str(destination["name"]),
            secret_type=str(destination.get("type") or "Opaque"),
            has_other_keys=True,
            joins=not creates,
            creates=creates,
            is_owned=creates,
        )
    ]


def _for_one_password(namespace: str, name: str, spec: Json) -> list[Made]:
    return [Made("1Password Connect", namespace, name, has_other_keys=True, is_owned=True)]


def _for_elasticsearch(namespace: str, name: str, spec: Json) -> list[Made]:
    maker = "Elastic Cloud on Kubernetes"
    return [
        Made(maker, namespace, f"{name}-es-elastic-user", ("elastic",), is_owned=True),
        Made(maker, namespace, f"{name}-es-http-certs-public", ("ca.crt", "tls.crt"), is_owned=True),
    ]


def _for_postgres(namespace: str, name: str, spec: Json) -> list[Made]:
    maker, made = "CloudNativePG", []
    bootstrap = _map(spec.get("bootstrap"))
    if not any(_map(one).get("secret") for one in bootstrap.values()):
        made.append(Made(maker, namespace, f"{name}-app", _DATABASE_KEYS, is_owned=True))
    if spec.get("enableSuperuserAccess") and not spec.get("superuserSecret"):
        made.append(Made(maker, namespace, f"{name}-superuser", _DATABASE_KEYS, is_owned=True))
    return made


CUSTOM_MAKERS: dict[str, Finder] = {
    "Certificate.cert-manager.io": _for_certificate,
    "ExternalSecret.external-secrets.io": _for_external_secret,
    "SealedSecret.bitnami.com": _for_sealed_secret,
    "VaultStaticSecret.secrets.hashicorp.com": _for_vault_secret,
    "VaultDynamicSecret.secrets.hashicorp.com": _for_vault_secret,
    "VaultPKISecret.secrets.hashicorp.com": _for_vault_secret,
    "OnePasswordItem.onepassword.com": _for_one_password,
    "Elasticsearch.elasticsearch.k8s.elastic.co": _for_elasticsearch,
    "Cluster.postgresql.cnpg.io": _for_postgres,
}
