"""What is only stored is said once for each kind, what would have made pods first."""

from pathlib import Path

from lifecycle import engine
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.input.stored_only import list_stored_only


def make(kind, version, **fields):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, **fields}


def test_kinds_without_a_controller_come_first_and_each_is_named_once():
    definition = make(
        "CustomResourceDefinition",
        "apiextensions.k8s.io/v1",
        spec={"group": "kafka.strimzi.io", "names": {"kind": "Kafka"}},
    )
    objects = [
        make("ClusterRole", "rbac.authorization.k8s.io/v1"),
        make("Kafka", "kafka.strimzi.io/v1beta2"),
        make("Service", "serving.knative.dev/v1"),
        make("Deployment", "apps/v1"),
        make("NetworkPolicy", "networking.k8s.io/v1"),
        make("ClusterRole", "rbac.authorization.k8s.io/v1"),
        definition,
    ]
    assert list_stored_only(objects) == [
        "Service.serving.knative.dev (1): stored unchecked; no CustomResourceDefinition of them is given",
        "Kafka.kafka.strimzi.io (1): custom resources, held to their schemas; nothing acts on them",
        "ClusterRole (2): say who may do what through the API; controllers are held to none",
        "NetworkPolicy (1): stored, but nothing in the model acts on them",
    ]


def test_of_what_is_acted_on_nothing_is_said():
    # An Ingress says who sends requests to a Service.
    acted_on = [
        make("Ingress", "networking.k8s.io/v1"),
        make("Pod", "v1"),
        make("Deployment", "apps/v1"),
        make("Node", "v1"),
    ]
    acted_on += [
        make("Job", "batch/v1"),
        make("CronJob", "batch/v1"),
        make("PodDisruptionBudget", "policy/v1"),
    ]
    assert list_stored_only(acted_on) == []


def test_a_workload_is_unattended_exactly_as_long_as_it_has_no_controller():
    folder = Path(engine.__file__).parent / "controllers"
    for entry in list_workloads():
        words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in entry.kind.name)
        assert bool(entry.unattended) != (folder / words.lstrip("_")).is_dir(), entry.kind.name
