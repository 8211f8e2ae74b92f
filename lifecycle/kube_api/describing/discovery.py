"""What there is: versions, groups, resources, health; what clients ask for before all else."""

import base64
import hashlib
from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest

from lifecycle.engine.kinds.served import ALL_VERBS
from lifecycle.engine.releases.release import Release
from lifecycle.kube_api import content
from lifecycle.kube_api.asking.asked import Answer, Asked, Text
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.describing import openapi, resources
from lifecycle.kube_api.describing.built_in import GROUPS
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.describing.version_order import order_versions
from lifecycle.kube_api.reading.lists import Page
from lifecycle.kube_api.status import NoSuchPath, method_not_allowed, no_such_resource
from lifecycle.models import Cluster
from lifecycle.reads import read_release

Json = dict[str, Any]
_HEALTH = ("healthz", "livez", "readyz")
_CHECKS = ("ping", "log", "etcd", "informer-sync")
_ROOTS = ("", "api", "apis", "version", *_HEALTH, "openapi")


def answer(request: HttpRequest, cluster: Cluster, path: str, options: Options) -> Answer | Text:
    """The answer to a path that is no resource's. Raises NoSuchPath, Refusal."""
    words = path.strip("/").split("/")
    if words[0] not in _ROOTS:
        raise NoSuchPath
    if request.method not in ("GET", "HEAD"):
        raise method_not_allowed()
    if words[0] in _HEALTH:
        return _say_health(words, options)
    if words[0] == "openapi":
        return openapi.answer(request, cluster, words[1:], resources.list_all(cluster))
    if words == ["version"]:
        return Answer(_tell_version(read_release(cluster)))
    return _describe(request, cluster, words)


def _tell_version(release: Release) -> Json:
    major, minor = release.minor
    return {
        "major": str(major),
        "minor": str(minor),
        "emulationMajor": str(major),
        "emulationMinor": str(minor),
        "minCompatibilityMajor": str(major),
        "minCompatibilityMinor": str(minor - 1),
        "gitVersion": release.version,
        "gitCommit": "$Format:%H$",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": release.go_version,
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def _describe(request: HttpRequest, cluster: Cluster, words: list[str]) -> Answer:
    known = resources.list_all(cluster)
    form = content.negotiate_discovery(request.headers.get("Accept", ""))
    match words:
        case [""]:
            return Answer({"paths": _list_paths(known)})
        case ["api"]:
            if form is not None:
                return _aggregate([one for one in known if not one.group], form)
            address = {"clientCIDR": "0.0.0.0/0", "serverAddress": request.get_host()}
            return Answer(
                {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [address]}
            )
        case ["apis"]:
            if form is not None:
                return _aggregate([one for one in known if one.group], form)
            groups = [_group(name, of) for name, of in _by_group(known).items() if name]
            return Answer({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        case ["apis", group] if group in _by_group(known) and group:
            return Answer({"kind": "APIGroup", "apiVersion": "v1", **_group(group, _by_group(known)[group])})
        case ["api", version]:
            return _resource_list(known, "", version)
        case ["apis", group, version]:
            return _resource_list(known, group, version)
    raise NoSuchPath


def _by_group(known: Iterable[Resource]) -> dict[str, list[Resource]]:
    groups: dict[str, list[Resource]] = {}
    for one in known:
        groups.setdefault(one.group, []).append(one)
    order = {name: index for index, name in enumerate(GROUPS)}
    return {name: groups[name] for name in sorted(groups, key=lambda one: (order.get(one, len(order)), one))}


def _group(name: str, known: list[Resource]) -> Json:
    versions = [
        {"groupVersion": f"{name}/{version}", "version": version}
        for version in order_versions(one.version for one in known)
    ]
    return {"name": name, "versions": versions, "preferredVersion": versions[0]}


def _list_paths(known: list[Resource]) -> list[str]:
    paths = ["/api", "/api/v1", "/apis"]
    for name, of in _by_group(known).items():
        if name:
            paths += [
                f"/apis/{name}",
                *(f"/apis/{name}/{one}" for one in order_versions(r.version for r in of)),
            ]
    return [*paths, *(f"/{name}" for name in _HEALTH), "/openapi/v2", "/openapi/v3", "/version"]


# --- resources --------------------------------------------------------------------------------------------


def _resource_list(known: list[Resource], group: str, version: str) -> Answer:
    found = sorted(
        (one for one in known if (one.group, one.version) == (group, version)), key=lambda r: r.name
    )
    if not found:
        if group and not any(one.group == group for one in known):
            raise NoSuchPath
        raise no_such_resource()
    listed = [entry for one in found for entry in _entries(one)]
    shown = {"groupVersion": found[0].api_version, "resources": listed}
    head = {"kind": "APIResourceList"} | ({"apiVersion": "v1"} if group else {})
    return Answer({**head, **shown})


def _entries(resource: Resource) -> list[Json]:
    entry: Json = {
        "name": resource.name,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    if set(ALL_VERBS) - {"deletecollection"} <= set(resource.verbs):
        entry["storageVersionHash"] = hash_storage(resource)
    entries = [entry]
    for name, part in sorted(resource.parts.items()):
        other = {"group": part.group, "version": part.version} if part.version else {}
        entries.append(
            {
                "name": f"{resource.name}/{name}",
                "singularName": "",
                "namespaced": resource.namespaced,
                **other,
                "kind": part.kind or resource.kind,
                "verbs": list(part.verbs),
            }
        )
    return entries


def hash_storage(resource: Resource) -> str:
    """What tells in which version objects are stored."""
    group, _, version = resource.stored_version.rpartition("/")
    text = f"{group}/{resource.served.kept_as or version}/{resource.kind}"
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode()


def _aggregate(known: list[Resource], form: content.Form) -> Answer:
    items = []
    for name, of in _by_group(known).items():
        versions = []
        for version in order_versions(one.version for one in of):
            listed = sorted((one for one in of if one.version == version), key=lambda one: one.name)
            versions.append(
                {"version": version, "resources": [_discover(one) for one in listed], "freshness": "Current"}
            )
        items.append({"metadata": {"name": name} if name else {}, "versions": versions})
    head = {"kind": form.kind, "apiVersion": f"apidiscovery.k8s.io/{form.version}", "metadata": {}}
    return Answer({**head, "items": items}, form=form)


def _discover(resource: Resource) -> Json:
    here = {"group": "", "version": ""}
    found: Json = {
        "resource": resource.name,
        "responseKind": {**here, "kind": resource.kind},
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.custom:
        found["responseKind"] = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    if resource.short_names:
        found["shortNames"] = list(resource.short_names)
    if resource.categories:
        found["categories"] = list(resource.categories)
    parts = [
        {
            "subresource": name,
            "responseKind": {
                "group": part.group,
                "version": part.version,
                "kind": part.kind or resource.kind,
            },
            "verbs": list(part.verbs),
        }
        for name, part in sorted(resource.parts.items())
    ]
    return found | ({"subresources": parts} if parts else {})


# --- health -----------------------------------------------------------------------------------------------


def _say_health(words: list[str], options: Options) -> Text:
    if len(words) == 2 and words[1] in _CHECKS:
        return Text(b"ok")
    if len(words) > 1:
        raise NoSuchPath
    if "verbose" in options:
        lines = "".join(f"[+]{name} ok\n" for name in _CHECKS)
        return Text(f"{lines}{words[0]} check passed\n".encode())
    return Text(b"ok")


def list_components(asked: Asked) -> Answer:
    """The components of the control plane; all of them are there while the cluster is served."""
    names = ("scheduler", "controller-manager", "etcd-0")
    told = {"type": "Healthy", "status": "True", "message": "ok"}
    found = [
        {"apiVersion": "v1", "kind": "ComponentStatus", "metadata": {"name": name}, "conditions": [told]}
        for name in names
    ]
    if asked.verb == "list":
        return Answer(Page(found, ""))
    one = next((one for one in found if one["metadata"] == {"name": asked.address.name}), None)
    if one is None:
        raise no_such_resource()
    return Answer(one)
