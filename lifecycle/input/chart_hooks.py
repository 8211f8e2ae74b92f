"""Objects of a rendered chart that Helm keeps for other times: annotated as hooks of something else.

Models which hooks `helm install` and `helm upgrade` run. Left out: that those of before are waited for, and
the order that their weights give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.input.manifests import Document
from lifecycle.input.problems import Skipped

HOOK = "helm.sh/hook"
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
