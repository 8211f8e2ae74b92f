"""A kind that nobody has heard of: a Toy keeps `spec.size` pods of its template.

What it is stands here, as it would in `engine/kinds/toy.py`; what keeps it stands in `toy_controller`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.engine.kinds.entry import RESTART, TEMPLATE, KindEntry
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.meta import StoredObject
from lifecycle.engine.rules.columns.column import AGE, Column
from lifecycle.engine.rules.columns.workloads import summarize_counts
from lifecycle.engine.rules.defaults.workloads import default_template
from lifecycle.engine.rules.validation.words.part import Part, gathers
from lifecycle.engine.rules.validation.workloads.workloads import validate_template

Json = Mapping[str, Any]
TOY_KIND = Kind("toys.example.com/v1", "Toy", "toys", True, "ty")


def default_toy(spec: Json, gates: Mapping[str, bool]) -> dict[str, Any]:
    return {"size": 1, **spec, "template": default_template(spec.get("template") or {}, gates)}


@gathers("spec")
def validate_toy(spec: Part, gates: Mapping[str, bool]) -> None:
    spec.counts("size")
    validate_template(spec.part("template"), gates)


def summarize_toy(toy: StoredObject) -> dict[str, Any]:
    return summarize_counts(toy, (toy.status or {}).get("playing", 0), toy.spec["size"])


TOY_COLUMNS = (
    Column("Size", lambda row: row.spec.get("size"), "integer"),
    Column("Playing", lambda row: row.status.get("playing", 0), "integer"),
    AGE,
)
TOY = KindEntry(
    kind=TOY_KIND,
    default_spec=default_toy,
    drops_status=True,
    is_host_name="Pod names and hostnames",
    validate_spec=validate_toy,
    immutable=("colour",),
    list_rows=lambda spec: {"size": spec.get("size")},
    columns=TOY_COLUMNS,
    summarize=summarize_toy,
    describe=lambda data: f"{(data.get('status') or {}).get('playing', 0)} at play",
    pod_spec_path=TEMPLATE,
    replicas_path=("spec", "size"),
    rollout=(RESTART,),
    is_workload=True,
)


def make_toy(**spec: Any) -> dict[str, Any]:
    """One as a person writes it."""
    return {
        "apiVersion": TOY_KIND.api_version,
        "kind": TOY_KIND.name,
        "metadata": {"name": "bear"},
        "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "nginx:1"}]}}, **spec},
    }
