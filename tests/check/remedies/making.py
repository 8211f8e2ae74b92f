"""Small applications as manifests, and the cases that changes are made from."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import yaml

from lifecycle.check.remedies.candidates import Case, World
from lifecycle.check.settled import look
from lifecycle.engine import Cluster, Command
from lifecycle.input.manifests import read_documents
from lifecycle.simulation.plan import Overrides, Plan, make_plan
from lifecycle.simulation.run import Outcome

Json = dict[str, Any]
LABELS = {"app": "web"}


def make_workload(
    kind: str = "Deployment",
    pod: Json | None = None,
    container: Json | None = None,
    behavior: str = "",
    **spec: Any,
) -> Json:
    """A workload called web, of one container."""
    first = {"name": "app", "image": "web:1", "ports": [{"containerPort": 80}], **(container or {})}
    metadata: Json = {"labels": LABELS}
    if behavior:
        metadata["annotations"] = {"podline.dev/behavior": behavior}
    template = {"metadata": metadata, "spec": {"containers": [first], **(pod or {})}}
    made = {"selector": {"matchLabels": LABELS}, "template": template, **spec}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "web", "namespace": "default"},
        "spec": made,
    }


def make_job(container: Json | None = None, behavior: str = "", **spec: Any) -> Json:
    """A Job called web."""
    made = make_workload(pod={"restartPolicy": "Never"}, container=container, behavior=behavior, **spec)
    del made["spec"]["selector"]
    return {**made, "apiVersion": "batch/v1", "kind": "Job"}


def make_cron_job(job: Json | None = None, **spec: Any) -> Json:
    """A CronJob called web, which runs every five minutes."""
    made = make_job(**(job or {}))
    spec = {"schedule": "*/5 * * * *", "jobTemplate": {"spec": made["spec"]}, **spec}
    return {**made, "kind": "CronJob", "spec": spec}


def make_other(
    api_version: str, kind: str, name: str = "web", namespace: str = "default", **content: Any
) -> Json:
    """Any other object."""
    meta = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **content}


def make_service(**spec: Any) -> Json:
    """A Service before it."""
    return make_other("v1", "Service", spec={"selector": LABELS, "ports": [{"port": 80}], **spec})


def make_budget(labels: Json = LABELS, name: str = "web", **spec: Any) -> Json:
    """A PodDisruptionBudget."""
    spec = {**spec, "selector": {"matchLabels": labels}}
    return make_other("policy/v1", "PodDisruptionBudget", name, spec=spec)


def make_autoscaler(least: int, most: int) -> Json:
    """What sets how many pods the Deployment called web has."""
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    bounds = {"minReplicas": least, "maxReplicas": most}
    return make_other("autoscaling/v2", "HorizontalPodAutoscaler", spec={"scaleTargetRef": target, **bounds})


def make_all_plan(*objects: Json, nodes: int | None = None) -> Plan:
    """The plan of these objects."""
    documents = read_documents(yaml.safe_dump_all(deepcopy(objects)), "web.yaml")
    return make_plan(documents, Overrides(nodes=nodes))


def make_case(*objects: Json) -> Case:
    """The workload called web, as changes see it; applied, and nothing has happened yet."""
    plan = make_all_plan(*objects, nodes=0)
    cluster = Cluster(plan.seed, plan.epoch_ms, plan.settings)
    for number, one in enumerate(plan.objects):
        result = cluster.submit(Command(id=f"apply-{number}", kind="apply", payload={"object": one}))
        assert result.ok, result.status
    cluster.take_changes()
    settled = look(cluster, plan, Outcome("idle", 0))
    workload = next(one for one in settled.workloads if one.name == "web")
    case = World(settled).make_case(workload)
    assert case is not None
    return case
