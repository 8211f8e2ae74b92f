"""One object against the tables: unknown fields, wrong types, unknown kinds.

Structure only. What must be given, and which texts a field takes, is said by who validates the kind, in the
API server's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..releases.known import DEFAULT_RELEASE
from ..releases.release import Release
from .fields import ANY_TYPE, LIST, MAP, Field
from .paths import Path, format_path
from .scalars import RANGES, SCALARS, TEXT, describe, is_whole
from .tables import ANY_FIELD, Fields, Tables, find_fields, load_tables

Json = Mapping[str, Any]
MOST_PROBLEMS = 50
_SWITCHED_OFF = {
    "ClusterTrustBundle": "certificates.k8s.io/v1beta1",
    "DeviceTaintRule": "resource.k8s.io/v1alpha3",
    "LeaseCandidate": "coordination.k8s.io/v1beta1",
    "MutatingAdmissionPolicy": "admissionregistration.k8s.io/v1beta1",
    "MutatingAdmissionPolicyBinding": "admissionregistration.k8s.io/v1beta1",
    "PodCertificateRequest": "certificates.k8s.io/v1beta1",
    "StorageVersion": "internal.apiserver.k8s.io/v1alpha1",
    "StorageVersionMigration": "storagemigration.k8s.io/v1beta1",
    "Workload": "scheduling.k8s.io/v1alpha1",
}
"""The newest version of kinds that an API server of v1.35 has and serves only if told to (k8s.io/api)."""
_SWITCHED_OFF_OTHERWISE = {
    34: {
        "PodCertificateRequest": "certificates.k8s.io/v1alpha1",
        "StorageVersionMigration": "storagemigration.k8s.io/v1alpha1",
        "Workload": "",
    },
    36: {
        "DeviceTaintRule": "resource.k8s.io/v1beta2",
        "PodGroup": "scheduling.k8s.io/v1alpha2",
        "Workload": "scheduling.k8s.io/v1alpha2",
    },
}
"""By minor release what it has in other versions, or not at all."""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One thing wrong, and what would be right. `is_unquoted`: quotes around what is written mend it."""

    path: Path
    message: str
    remedy: str = ""
    is_unquoted: bool = False


def find_problems(data: Json, release: Release = DEFAULT_RELEASE) -> list[FieldProblem]:
    """What is structurally wrong with an object, at most MOST_PROBLEMS; empty when it is sound."""
    problems = find_type_problems(data, release)
    if problems:
        return problems
    return _walk(data, True, release)


def find_wrong_types(data: Json, release: Release = DEFAULT_RELEASE) -> list[FieldProblem]:
    """The fields of an object that are not of their type. Fields nobody knows are let be."""
    return _walk(data, False, release)


def _walk(data: Json, is_strict: bool, release: Release) -> list[FieldProblem]:
    checker = _Checker(is_strict, release)
    checker.check_object(data, find_fields(data, release), ())
    return checker.problems


def find_type_problems(data: Json, release: Release = DEFAULT_RELEASE) -> list[FieldProblem]:
    """Whether there is such a kind at all, and in that version."""
    for name in ("apiVersion", "kind"):
        value = data.get(name)
        if value is None:
            return [FieldProblem((name,), f"{name} not set", f"every manifest needs {name}")]
        if not isinstance(value, str):
            return [FieldProblem((name,), f"must be text, not {describe(value)}")]
    api_version, kind = data["apiVersion"], data["kind"]
    tables = load_tables(release)
    if (api_version, kind) in tables.kinds or _is_custom(api_version, tables):
        return []
    message = f'no matches for kind "{kind}" in version "{api_version}"'
    remedy = _suggest_kind(api_version, kind, tables, release)
    return [FieldProblem(("kind",), message, remedy + _suggest_rendering(data, kind, tables))]


def _is_custom(api_version: str, tables: Tables) -> bool:
    """Groups of Kubernetes' own have no dot or end in .k8s.io; all other groups are somebody's resources.

    A group under .k8s.io without a table here (snapshot.storage.k8s.io) is somebody's too.
    """
    group, slash, _ = api_version.rpartition("/")
    if not slash or "." not in group:
        return False
    return not any(version.startswith(f"{group}/") for version in tables.versions)


def _suggest_kind(api_version: str, kind: str, tables: Tables, release: Release) -> str:
    from difflib import get_close_matches

    versions = tables.versions_of(kind)
    if versions:
        return f"{kind} is in {' and '.join(versions)}"
    otherwise = _SWITCHED_OFF_OTHERWISE.get(min(release.served_minor, 36), {})
    group, switched_off = api_version.rpartition("/")[0], {**_SWITCHED_OFF, **otherwise}.get(kind, "")
    if switched_off.rpartition("/")[0] == group and group:
        where = f"which Kubernetes {release.name} serves only where it is switched on"
        return f"{kind} is in {switched_off}, {where}"
    # In another group only a slip of the pen is meant: `Policy` of no group is no NetworkPolicy.
    near = {name.lower(): name for version, name in tables.kinds if version.rpartition("/")[0] == group}
    far = {name.lower(): name for _, name in tables.kinds}
    for names, likeness in ((near, 0.65), (far, 0.85)):
        close = get_close_matches(kind.lower(), names, 1, likeness)
        if close:
            return f"did you mean {names[close[0]]}?"
    return _deny_kind(release)


def _deny_kind(release: Release) -> str:
    return f"Kubernetes {release.name} has no such kind"


def _suggest_rendering(data: Json, kind: str, tables: Tables) -> str:
    """Charts ask which versions there are, and `helm template` alone knows of few."""
    metadata, versions = data.get("metadata"), tables.versions_of(kind)
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    if not versions or not isinstance(labels, Mapping):
        return ""
    makers = (labels.get("app.kubernetes.io/managed-by"), labels.get("heritage"))
    if "helm.sh/chart" not in labels and "Helm" not in makers:
        return ""
    return f"; render the chart with helm template --api-versions {versions[-1]}/{kind}"


def is_of_tool_group(data: Json, release: Release = DEFAULT_RELEASE) -> bool:
    """Whether no API server could have such a group: custom ones have a dot, and it is no slip of the pen."""
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return False
    group, tables = api_version.rpartition("/")[0], load_tables(release)
    # Of `extensions` everything went elsewhere, or away.
    known = {"", "extensions"} | {version.rpartition("/")[0] for version in tables.versions}
    if "." in group or group in known:
        return False
    return _suggest_kind(api_version, kind, tables, release) == _deny_kind(release)


class _Checker:
    """Walks one object along its type."""

    def __init__(self, is_strict: bool, release: Release) -> None:
        self.is_strict = is_strict
        self.types = load_tables(release).types
        self.problems: list[FieldProblem] = []

    def check(self, value: Any, field: Field, path: Path) -> None:
        """Whether a value may stand in a field."""
        if len(self.problems) >= MOST_PROBLEMS or field.type_name == ANY_TYPE:
            return
        if field.shape == LIST:
            self._check_list(value, field, path)
        elif field.shape == MAP:
            self._check_map(value, field, path)
        elif field.type_name in SCALARS:
            wanted, fits = SCALARS[field.type_name]
            if not fits(value):
                self._wrong(value, wanted, path, _range_of(field.type_name, value))
        elif isinstance(value, dict):
            self.check_object(value, self.types[field.type_name], path)
        else:
            self._wrong(value, "a mapping", path)

    def check_object(self, value: Json, fields: Fields, path: Path) -> None:
        """Whether a mapping has these fields, each of its type."""
        for name, item in value.items():
            field = fields.get(name) or fields.get(ANY_FIELD)
            if field is None:
                if self.is_strict:
                    self._unknown(name, fields, path)
            # A field set to null is a field left out.
            elif item is not None:
                self.check(item, field, (*path, name))

    def _check_list(self, value: Any, field: Field, path: Path) -> None:
        assert field.inner is not None, "a list is a list of something"
        if not isinstance(value, list):
            self._wrong(value, "a list", path)
            return
        for index, item in enumerate(value):
            self.check(item, field.inner, (*path, index))

    def _check_map(self, value: Any, field: Field, path: Path) -> None:
        assert field.inner is not None, "a map is a map of something"
        if not isinstance(value, dict):
            self._wrong(value, "a mapping", path)
            return
        for name, item in value.items():
            if item is not None:
                self.check(item, field.inner, (*path, name))

    def _unknown(self, name: str, fields: Fields, path: Path) -> None:
        remedy = _suggest_field(name, fields, self.types, path)
        self.problems.append(FieldProblem((*path, name), f'unknown field "{name}"', remedy))

    def _wrong(self, value: Any, wanted: str, path: Path, remedy: str = "") -> None:
        is_unquoted = wanted == TEXT and isinstance(value, bool | int | float)
        message = f"must be {wanted}, not {describe(value)}"
        self.problems.append(FieldProblem(path, message, remedy, is_unquoted))


def _range_of(type_name: str, value: Any) -> str:
    if type_name not in RANGES or not is_whole(value):
        return ""
    least, most = RANGES[type_name]
    return f"it may be from {least} to {most}"


def _suggest_field(name: str, fields: Fields, types: Mapping[str, Fields], path: Path) -> str:
    """The nearest name at this place, else the place below where such a field belongs."""
    from difflib import get_close_matches

    by_lower = {known.lower(): known for known in fields}
    close = get_close_matches(name.lower(), by_lower, 1, 0.75)
    if close:
        return f'did you mean "{by_lower[close[0]]}"?'
    home = next((path for path in _paths_below(fields, types) if path.endswith(f".{name}")), None)
    if home:
        return f"it belongs to {format_path(path)}.{home}".replace("to .", "to ")
    return f"fields here are: {', '.join(sorted(fields))}" if len(fields) <= 12 else ""


def _paths_below(fields: Fields, types: Mapping[str, Fields]) -> Iterator[str]:
    """Field paths up to three levels down, nearest first."""
    level = [("", fields)]
    for _ in range(3):
        below = []
        for prefix, names in level:
            for name, field in names.items():
                inner = types.get(field.type_name)
                if inner and name != "status":
                    below.append((f"{prefix}{name}.", inner))
        yield from (prefix + name for prefix, names in below for name in names)
        level = below
