"""The language of --until and expect."""

import re

import pytest

from lifecycle.input.expressions import ExpressionError, Look, parse

WEB = {
    "spec": {"paused": False, "containers": [{"image": "nginx:1"}]},
    "metadata": {"labels": {"example.com/tier": "gold"}},
    "status": {
        "availableReplicas": 3,
        "phase": "Running",
        "cpu": "500m",
        "conditions": [
            {"type": "Ready", "status": "True"},
            {"type": "example.com/a", "status": "Unknown"},
            {"type": "PodRestartInPlace", "status": "False"},
        ],
    },
}


class OneObject:
    """A cluster with one object."""

    def __init__(self, data, key=("Deployment", "default", "web")):
        self.data, self.key = data, key

    def get(self, kind, namespace, name):
        return self.data if (kind, namespace, name) == self.key else None


@pytest.mark.parametrize(
    "claim, holds",
    [
        (".status.availableReplicas >= 3", True),
        (".status.availableReplicas>3", False),
        (".status.readyReplicas == 0", True),
        (".status.phase == Running", True),
        (".status.phase == 'Running'", True),
        (".status.phase != Failed", True),
        ('.status.reason == ""', True),
        (".status.cpu < 1", True),
        (".status.phase > 1", False),
        (".spec.paused == false", True),
        (".spec.hostNetwork == true", False),
        (".spec.containers[0].image == nginx:1", True),
        (".spec.containers[7].image == nginx:1", False),
        (".metadata.labels['example.com/tier'] == gold", True),
        ("condition Ready == True", True),
        ("condition Ready != True", False),
        ("condition Available == True", False),
        ("condition example.com/a == Unknown", True),
        ("Ready", True),
        ("Available", False),
        ("condition AllContainersRestarting == False", True),
        ("exists", True),
        ("gone", False),
    ],
)
def test_a_claim_about_an_object(claim, holds):
    assert parse(f"deployment/web {claim}").evaluate(OneObject(WEB)).holds is holds


@pytest.mark.parametrize(
    "claim, right",
    [
        ("statefulset/db Available", "statefulset/db .status.availableReplicas >= 1"),
        ("sts/db -n shop condition Available == True", "sts/db .status.availableReplicas >= 1"),
        ("daemonset/agent Ready", "daemonset/agent .status.numberAvailable >= 1"),
    ],
)
def test_a_kind_without_conditions_is_not_waited_for_in_vain(claim, right):
    with pytest.raises(ExpressionError, match=re.escape(f'has no conditions; ask for "{right}"')):
        parse(claim)


@pytest.mark.parametrize("word", ["Deployment", "deployment", "deployments", "deploy"])
def test_a_kind_is_named_as_kubectl_takes_it(word):
    assert parse(f"{word}/web exists").key == ("Deployment", "default", "web")


def test_a_namespace_and_none():
    assert parse("pod/web-0 -n shop exists").key == ("Pod", "shop", "web-0")
    assert parse("node/node-1 Ready").namespace is None


@pytest.mark.parametrize(
    "claim, holds", [("gone", True), ("exists", False), (".status.replicas == 0", False)]
)
def test_a_claim_about_nothing(claim, holds):
    verdict = parse(f"deployment/web {claim}").evaluate(OneObject(None))
    assert (verdict.holds, verdict.exists) == (holds, False)


@pytest.mark.parametrize(
    "text, said",
    [
        ("web Available", "is no expression"),
        ("deployment/web", "is no expression"),
        ("widget/web exists", 'no kind is called "widget"'),
        ("deployment/web condition Ready > True", "compared with == or !="),
        ("deployment/web status.phase == Running", "a path begins with a dot"),
        ("deployment/web .status..phase == Running", "cannot read the path"),
        ("deployment/web .status.replicas", "cannot read"),
        ("deployment/web -n", "cannot read"),
    ],
)
def test_what_cannot_be_read_is_explained(text, said):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert said in str(caught.value)


class Changing:
    """A cluster with one object that changes; counts how often it is read."""

    def __init__(self):
        self.version, self.data, self.reads = None, None, 0

    def put(self, version, data):
        self.version, self.data = version, data

    def version_of(self, kind, namespace, name):
        return self.version

    def get(self, kind, namespace, name):
        self.reads += 1
        return self.data


def test_an_object_is_read_again_only_when_it_has_changed():
    cluster, look = Changing(), Look(parse("deployment/web .status.replicas >= 2"))
    verdicts = []
    for version, data in [
        (None, None),
        (7, {"status": {"replicas": 1}}),
        (8, {"status": {"replicas": 2}}),
        (None, None),
        (9, {"status": {"replicas": 2}}),
    ]:
        cluster.put(version, data)
        verdicts.append([look.at(cluster).holds for _ in range(3)])
    assert verdicts == [[holds] * 3 for holds in (False, False, True, False, True)]
    assert cluster.reads == 5
