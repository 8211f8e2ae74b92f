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


SUMS = {"lostMs": 500, "lost": 100, "pods": {"lostMs": 1000, "lost": 200}}


class Losing:
    """A Service, and what was lost of the requests to it."""

    def __init__(self, sums):
        self.sums = sums

    def get(self, kind, namespace, name):
        return {"metadata": {"name": name}}

    def version_of(self, kind, namespace, name):
        return 1

    def sum_requests(self, namespace, name):
        return self.sums


@pytest.mark.parametrize(
    "claim, sums, holds, seen",
    [
        pytest.param("lostMs == 500", SUMS, True, "500", id="of all senders"),
        pytest.param("lost <= 99", SUMS, False, "100", id="in whole requests"),
        pytest.param("pods.lost == 200", SUMS, True, "200", id="of one sender"),
        pytest.param("ingress.lostMs == 0", SUMS, True, "0", id="a sender that it has not"),
        pytest.param("lostMs > 0", None, False, "0", id="one that gets none"),
    ],
)
def test_what_was_lost_is_asked_of_the_engine(claim, sums, holds, seen):
    verdict = parse(f"service/web .requests.{claim}").evaluate(Losing(sums))
    assert (verdict.holds, verdict.seen) == (holds, seen)


def test_a_sum_is_read_again_though_its_object_stays():
    cluster, look = Losing({"lostMs": 0}), Look(parse("service/web .requests.lostMs >= 10"))
    assert not look.at(cluster).holds
    cluster.sums = {"lostMs": 10}
    assert look.at(cluster).holds


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
        ("deployment/web .requests.lost == 0", "requests go to a Service"),
        ("service/web .requests == 0", "there are .requests.lostMs and .requests.lost"),
        ("service/web .requests.lots == 0", "there are .requests.lostMs and .requests.lost"),
        ("service/web .requests.pods == 0", "there are .requests.lostMs and .requests.lost"),
        ("service/web .requests.ingres.lostMs == 0", "senders are pods, ingress, loadBalancer, dns"),
        ("svc/web .requests.pods.lost.now == 0", "senders are pods, ingress, loadBalancer, dns"),
        ("service/web .requests.lostMs == 1s", "what was lost is a number"),
        ("service/web .requests.lost == none", "what was lost is a number"),
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
