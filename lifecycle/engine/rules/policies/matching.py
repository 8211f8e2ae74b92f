"""Whether a policy, a binding or a webhook is for a request.

Models apiserver, pkg/admission/plugin/policy/matching and plugin/webhook/predicates. Equivalent are versions
of one group: Events of the core group and of events.k8s.io are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from lifecycle.lean_dataclasses import dataclass, field, replace

from ...objects.kinds import Kind
from ...objects.selector import Selector
from ..actions import CREATE, UPDATE

Json = Mapping[str, Any]
GROUP = "admissionregistration.k8s.io"
_NAMESPACE, _NONE = "namespaces", ""
_EXACT, _ALL = "Exact", "*"


class Form(Protocol):
    """A version of a kind."""

    @property
    def show(self) -> Callable[[dict[str, Any]], dict[str, Any]] | None:
        """Makes of a stored object one of it, where they differ in more than their apiVersion."""


@dataclass(frozen=True, slots=True)
class Request:
    """A write as admission sees it.

    `object`: as it would be stored, None of a deletion; `old`: as it is stored, None of a creation.
    `versions`: of the kind, the one that was asked by first. `namespace`: that of the object, a Namespace's
    own name. `user`: name and groups, None where nobody is known. `namespace_object`: None if there is none.
    `options`: what the write said beside its object. `forms`: by version, how it shows objects.
    """

    operation: str
    kind: Kind
    versions: Sequence[str]
    namespace: str
    name: str
    subresource: str = ""
    object: dict[str, Any] | None = None
    old: dict[str, Any] | None = None
    user: Json | None = None
    namespace_object: Json | None = None
    options: Json = field(default_factory=dict)
    forms: Mapping[str, Form] = field(default_factory=dict)
    _seen: dict[str, Request] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def version(self) -> str:
        """The version that was asked by."""
        return self.versions[0]

    @property
    def is_dry_run(self) -> bool:
        """Whether nothing is to be stored."""
        return bool(self.options.get("dryRun"))

    @property
    def is_exempt(self) -> bool:
        """Whether nobody is asked: of what says who is to be asked."""
        return self.kind.group == GROUP

    def as_version(self, version: str) -> Request:
        """The same with its objects in a version of their kind."""
        if (seen := self._seen.get(version)) is not None:
            return seen
        new, old = (None if one is None else self._show(one, version) for one in (self.object, self.old))
        if new is self.object and old is self.old:
            return self
        # Every binding and every parameter asks for it.
        self._seen[version] = seen = replace(self, object=new, old=old)
        return seen

    def _show(self, data: dict[str, Any], version: str) -> dict[str, Any]:
        form = self.forms.get(version)
        if form is not None and form.show is not None:
            data = form.show(data)
        api_version = f"{self.kind.group}/{version}" if self.kind.group else version
        return data if data.get("apiVersion") == api_version else {**data, "apiVersion": api_version}


def match_policy(constraints: Json, request: Request) -> str | None:
    """The version in which a request matches constraints of a policy; None where it does not."""
    policy = constraints.get("matchPolicy")
    if not _is_selected(constraints, request):
        return None
    if find_version(constraints.get("excludeResourceRules") or (), request, policy) is not None:
        return None
    rules = constraints.get("resourceRules") or ()
    return find_version(rules, request, policy) if rules else request.version


def match_webhook(webhook: Json, request: Request) -> str | None:
    """The version in which a request is sent to a webhook; None where it is not."""
    if not _is_selected(webhook, request):
        return None
    return find_version(webhook.get("rules") or (), request, webhook.get("matchPolicy"))


def find_version(rules: Iterable[Json], request: Request, policy: str | None) -> str | None:
    """The version in which rules name a request: its own, or where `policy` allows it another of its kind."""
    rules = list(rules)
    versions = request.versions[:1] if policy == _EXACT else request.versions
    for version in versions:
        if any(_fits(rule, request, version) for rule in rules):
            return version
    return None


def _fits(rule: Json, request: Request, version: str) -> bool:
    names = rule.get("resourceNames") or ()
    return (
        _fits_scope(rule.get("scope") or _ALL, request)
        and _has(rule.get("operations"), request.operation)
        and _has(rule.get("apiGroups"), request.kind.group)
        and _has(rule.get("apiVersions"), version)
        and any(_fits_resource(one, request) for one in rule.get("resources") or ())
        and (not names or request.name in names)
    )


def _fits_scope(scope: str, request: Request) -> bool:
    is_namespace = request.kind.plural == _NAMESPACE and not request.kind.group
    is_cluster_wide = is_namespace or not request.namespace
    return scope == _ALL or (scope == "Cluster") == is_cluster_wide


def _has(items: Iterable[str] | None, wanted: str) -> bool:
    return any(one in (_ALL, wanted) for one in items or ())


def _fits_resource(resource: str, request: Request) -> bool:
    name, _, subresource = resource.partition("/")
    return name in (_ALL, request.kind.plural) and subresource in (_ALL, request.subresource)


# --- selectors --------------------------------------------------------------------------------------------


def _is_selected(given: Json, request: Request) -> bool:
    return _is_namespace_selected(given.get("namespaceSelector"), request) and _is_object_selected(
        given.get("objectSelector"), request
    )


def _is_namespace_selected(selector: Json | None, request: Request) -> bool:
    """What is in no namespace is always selected; a Namespace is by its own labels, as they would be."""
    is_namespace = request.kind.plural == _NAMESPACE and not request.kind.group
    if not selector or (not request.namespace and not is_namespace):
        return True
    is_new = is_namespace and not request.subresource and request.operation in (CREATE, UPDATE)
    found = request.object if is_new else request.old if is_namespace else request.namespace_object
    return Selector(selector).matches(_labels_of(found))


def _is_object_selected(selector: Json | None, request: Request) -> bool:
    """An object is selected as it would be, or as it was."""
    if not selector or not any(selector.values()):
        return True
    known = [one for one in (request.object, request.old) if one is not None]
    return any(Selector(selector).matches(_labels_of(one)) for one in known)


def _labels_of(data: Json | None) -> Json:
    return ((data or {}).get("metadata") or {}).get("labels") or {}
