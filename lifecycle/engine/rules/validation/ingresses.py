"""Ingresses: hosts, paths, and where they lead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .words.addresses import read_address
from .words.metadata import check_path_name
from .words.names import check_label, check_port_name, check_service_name, check_subdomain, check_wildcard
from .words.part import Part, gathers

Gates = Mapping[str, bool]
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_SEQUENCES, _ENDS = ("//", "/./", "/../", "%2f", "%2F"), ("/..", "/.")
CLASS_ANNOTATION = "kubernetes.io/ingress.class"


@gathers("spec")
def validate_ingress(spec: Part, gates: Gates) -> None:
    """Rules, or a backend for all there is."""
    if not spec["rules"] and spec["defaultBackend"] is None:
        spec.refuse("", "either `defaultBackend` or `rules` must be specified", spec["rules"])
    if spec["defaultBackend"] is not None:
        _validate_backend(spec.part("defaultBackend"), gates)
    for rule in spec.parts("rules"):
        _validate_rule(rule, gates)
    for secured in spec.parts("tls"):
        for index, host in enumerate(secured["hosts"] or ()):
            secured.complain(f"hosts[{index}]", _check_host(host), host)
        secured.text("secretName", check_subdomain)
    if spec["ingressClassName"] is not None:
        spec.complain("ingressClassName", check_subdomain(spec["ingressClassName"]))


@gathers("")
def validate_new_ingress(data: Part) -> None:
    """A class is named in one way, or twice alike."""
    said = (data.part("metadata")["annotations"] or {}).get(CLASS_ANNOTATION)
    name = data.part("spec")["ingressClassName"]
    if said is not None and name is not None and said != name:
        detail = "must match `ingressClassName` when both are specified"
        data.refuse(f"annotations.{CLASS_ANNOTATION}", detail, said)


def _validate_rule(rule: Part, gates: Gates) -> None:
    host = rule["host"]
    if host:
        if read_address(host) is not None:
            rule.refuse("host", "must be a DNS name, not an IP address")
        rule.complain("host", _check_host(host))
    if rule["http"] is not None:
        http = rule.part("http")
        http.need("paths")
        for path in http.parts("paths"):
            _validate_path(path, gates)


def _check_host(host: str) -> list[str]:
    return check_wildcard(host) if "*" in host else check_subdomain(host)


def _validate_path(path: Part, gates: Gates) -> None:
    kind, written = path["pathType"], path["path"] or ""
    if kind is None:
        path.require("pathType", "pathType must be specified")
        return
    path.support("pathType", _PATH_TYPES)
    if kind in _PATH_TYPES:
        path.complain("path", _check_path(written, kind == "ImplementationSpecific"), written)
    _validate_backend(path.part("backend"), gates)


def _check_path(written: str, is_free: bool) -> list[str]:
    details = []
    if not written.startswith("/") and (written or not is_free):
        details.append("must be an absolute path")
    if not is_free:
        details += [f"must not contain '{part}'" for part in _SEQUENCES if part in written]
        details += [f"cannot end with '{end}'" for end in _ENDS if written.endswith(end)]
    return details


def _validate_backend(backend: Part, gates: Gates) -> None:
    """A Service and one of its ports, or another object."""
    given = backend.list_given(("service", "resource"))
    if len(given) > 1:
        backend.refuse("", "cannot set both resource and service backends", "")
    elif not given:
        backend.refuse("", "resource or service backend is required", "")
    elif given == ["resource"]:
        _validate_resource(backend.part("resource"))
    else:
        _validate_service(backend, gates)


def _validate_service(backend: Part, gates: Gates) -> None:
    service = backend.part("service")
    service.text("name", lambda text: check_service_name(text, gates), needed=True)
    port = service.part("port")
    if port["name"] and port["number"]:
        backend.refuse("", "cannot set both port name & port number", "")
    elif port["number"]:
        port.within("number", 1, 65535)
    elif port["name"]:
        port.text("name", check_port_name)
    else:
        backend.require("", "port name or number is required")


def _validate_resource(resource: Part) -> None:
    if resource["apiGroup"] is not None:
        resource.complain("apiGroup", check_subdomain(resource["apiGroup"]))
    for field in ("kind", "name"):
        resource.text(field, check_path_name, needed=True)


@gathers("spec")
def validate_ingress_class(spec: Part) -> None:
    """An IngressClass names its controller, and where that one's settings are."""
    controller = spec["controller"] or ""
    if not controller:
        spec.require("controller")
    elif check_subdomain(controller.partition("/")[0]) or not controller.partition("/")[2]:
        spec.refuse("controller", 'must be a domain-prefixed path (such as "acme.io/foo")')
    if spec["parameters"] is not None:
        _validate_parameters(spec.part("parameters"))


def _validate_parameters(parameters: Part) -> None:
    for field in ("kind", "name"):
        parameters.text(field, check_path_name, needed=True)
    scope, namespace = parameters["scope"] or "Cluster", parameters["namespace"]
    parameters.choice("scope", ("Cluster", "Namespace"))
    if scope == "Namespace":
        parameters.text("namespace", check_label, True, "`parameters.scope` is set to 'Namespace'")
    elif scope == "Cluster" and namespace is not None:
        parameters.forbid("namespace", "`parameters.scope` is set to 'Cluster'")


def warn_of_class(data: Mapping[str, Any]) -> list[str]:
    """The annotation by which an Ingress had its class before there was a field."""
    if CLASS_ANNOTATION not in ((data.get("metadata") or {}).get("annotations") or {}):
        return []
    return [f"annotation \"{CLASS_ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"]
