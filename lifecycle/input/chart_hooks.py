"""Objects of a rendered chart that Helm runs at a time of its own: annotated as hooks.

Models which hooks `helm install` and `helm upgrade` run, and in which order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.input.manifests import Document
from lifecycle.input.problems import Skipped

HOOK, WEIGHT, POLICY = "helm.sh/hook", "helm.sh/hook-weight", "helm.sh/hook-delete-policy"
PHASES = {
    "install": frozenset(("pre-install", "post-install", "crd-install")),
    "upgrade": frozenset(("pre-upgrade", "post-upgrade")),
    "none": frozenset[str](),
}
"""What each value of `--hooks` runs."""
_CHART_LABELS = ("helm.sh/chart", "chart", "heritage")


def sort_out_hooks(documents: Sequence[Document], phase: str) -> tuple[list[Document], list[Skipped]]:
    """The objects that are there in a phase, and the hooks of other times."""
    kept: list[Document] = []
    left: list[Skipped] = []
    for document in documents:
        hooks = list_hooks(document.data)
        if not hooks or PHASES[phase] & hooks:
            kept.append(document)
            continue
        why = "of a chart, Helm runs them at other times; `--hooks` says when this is"
        left.append(Skipped(f"{document.subject} ({', '.join(sorted(hooks))})", why))
    return kept, left


def list_times(data: Mapping[str, Any], phase: str) -> tuple[str, ...]:
    """When in a phase Helm runs an object, which may be more than once; nothing for what is no hook."""
    return tuple(sorted(PHASES[phase] & list_hooks(data)))


def find_rank(data: Mapping[str, Any]) -> tuple[int, str]:
    """A hook's place among those of its time: by weight, then by name (hookByWeight, pkg/action/hooks.go)."""
    metadata = _map(data.get("metadata"))
    text = str(_map(metadata.get("annotations")).get(WEIGHT) or "0").strip()
    is_number = text.lstrip("+-").isdecimal()
    return int(text) if is_number else 0, str(metadata.get("name") or "")


def list_policies(data: Mapping[str, Any]) -> frozenset[str]:
    """When a hook is to go: that of before goes where nothing is said."""
    text = _map(_map(data.get("metadata")).get("annotations")).get(POLICY)
    return frozenset(word.strip() for word in str(text or "before-hook-creation").split(","))


def list_hooks(data: Mapping[str, Any]) -> frozenset[str]:
    """When Helm runs an object; empty for one that is no hook."""
    text = _map(_map(data.get("metadata")).get("annotations")).get(HOOK)
    return frozenset(word.strip() for word in str(text or "").split(",") if word.strip())


def hint_namespace(documents: Sequence[Document]) -> list[str]:
    """What is said of a chart that was rendered for a namespace, where nobody says which: it falls apart."""
    metadata = [_map(document.data.get("metadata")) for document in documents]
    without = [one for one in metadata if not one.get("namespace")]
    named = Counter(str(one["namespace"]) for one in metadata if one.get("namespace"))
    if not named or not any(_is_of_chart(one) for one in without):
        return []
    namespace, count = max(named.items(), key=lambda pair: (pair[1], pair[0]))
    if namespace in ("default", "kube-system"):
        return []
    return [
        f"{len(without)} {'object names' if len(without) == 1 else 'objects name'} no namespace and"
        f" {'goes' if len(without) == 1 else 'go'} to default, {count} {'names' if count == 1 else 'name'}"
        f" {namespace}: did you mean -n {namespace}?"
    ]


def _is_of_chart(metadata: Mapping[str, Any]) -> bool:
    labels = _map(metadata.get("labels"))
    return labels.get("app.kubernetes.io/managed-by") == "Helm" or any(one in labels for one in _CHART_LABELS)


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
