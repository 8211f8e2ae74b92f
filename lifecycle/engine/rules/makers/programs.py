"""What programs make through the API: Jobs that make certificates and passwords, and operators as they start.

Known by what their containers are called with, and by what their scripts say (`scripts.py`). Names and keys
are the defaults of kube-webhook-certgen, of `argocd admin redis-initial-password` and of `contour certgen`,
of istiod, of KEDA's operator and of what deploys the cache of Kubeflow Pipelines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .made import CONFIG_MAP, EVERYWHERE, TLS_KEYS, Made
from .scripts import list_made_by_script

Json = Mapping[str, Any]
ISTIO_ROOT = Made("Istio", EVERYWHERE, "istio-ca-root-cert", ("root-cert.pem",), CONFIG_MAP)
ISTIO_KINDS = tuple(
    f"{kind}.{group}.istio.io"
    for group, kinds in {
        "networking": "DestinationRule EnvoyFilter Gateway ServiceEntry Sidecar VirtualService WorkloadEntry",
        "security": "AuthorizationPolicy PeerAuthentication RequestAuthentication",
        "telemetry": "Telemetry",
        "install": "IstioOperator",
    }.items()
    for kind in kinds.split()
)
"""Where one of these is given, Istio is taken to be there."""
_CACHE_DEPLOYERS = ("/kfp-cache-deployer", "ml-pipeline/cache-deployer")


def list_made_by_job(pod_spec: Json, namespace: str) -> list[Made]:
    """What the containers of a Job have made when it is complete."""
    return [
        made
        for container in _containers(pod_spec)
        for made in (*_made_by(container, namespace), *list_made_by_script(container, namespace))
    ]


def list_made_by_operator(pod_spec: Json, namespace: str) -> list[Made]:
    """What an operator makes once it runs."""
    made = []
    for container in _containers(pod_spec):
        image = _image(container)
        made += list_made_by_script(container, namespace)
        if image.endswith("/pilot"):
            made.append(ISTIO_ROOT)
        if image.endswith("kedacore/keda"):
            name = _flag(_words(container), "cert-secret-name") or "kedaorg-certs"
            made.append(Made("KEDA", namespace, name, ("ca.crt", "ca.key", "tls.crt", "tls.key"), joins=True))
        if image.endswith(_CACHE_DEPLOYERS):
            where = _find_variable(container, "NAMESPACE_TO_WATCH", {"value": "kubeflow"}).get("value")
            keys = ("cert.pem", "key.pem")
            made.append(Made("Kubeflow Pipelines", where or namespace, "webhook-server-tls", keys))
    return made


def _find_variable(container: Json, name: str, default: Json) -> Json:
    """An entry of the environment; one that refers to a field of the pod has no value."""
    return next((one for one in container.get("env") or () if one.get("name") == name), default)


def _containers(pod_spec: Json) -> Iterable[Json]:
    for group in ("initContainers", "containers"):
        yield from (one for one in pod_spec.get(group) or () if isinstance(one, Mapping))


def _image(container: Json) -> str:
    """The image without its tag and digest."""
    path = str(container.get("image") or "").partition("@")[0]
    folder, slash, last = path.rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


def _words(container: Json) -> list[str]:
    return [str(word) for word in (*(container.get("command") or ()), *(container.get("args") or ()))]


def _flag(words: list[str], name: str) -> str:
    """The value of a flag, with one dash or two, behind `=` or as the next word."""
    for place, word in enumerate(words):
        flag, _, value = word.partition("=")
        if word.startswith("-") and flag.lstrip("-") == name:
            return value or "".join(words[place + 1 : place + 2])
    return ""


def _made_by(container: Json, namespace: str) -> list[Made]:
    words, image = _words(container), _image(container).rpartition("/")[2]
    where = _flag(words, "namespace")
    # A reference such as $(POD_NAMESPACE) names the pod's own.
    where = where if where and "$" not in where else namespace
    if image.endswith("kube-webhook-certgen") and "create" in words and _flag(words, "secret-name"):
        defaults = {"ca-name": "ca", "cert-name": "cert", "key-name": "key"}
        keys = tuple(_flag(words, flag) or default for flag, default in defaults.items())
        return [Made("kube-webhook-certgen", where, _flag(words, "secret-name"), keys)]
    if "argocd" in words and "redis-initial-password" in words:
        return [Made("argocd", namespace, "argocd-redis", ("auth",))]
    if "certgen" in words and (image == "contour" or words[0].rpartition("/")[2] == "contour"):
        suffix = _flag(words, "secrets-name-suffix")
        return [Made("contour", where, f"{name}{suffix}", TLS_KEYS) for name in ("contourcert", "envoycert")]
    return []
