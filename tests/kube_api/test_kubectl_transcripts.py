"""The real kubectl gets from us what it got from a real cluster, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kube_api.kubectl_play import Play, differs, read_stories
from tests.kube_api.live import Installation, find_kubectl

pytestmark = [pytest.mark.deep, pytest.mark.xdist_group("kubectl")]

OPENAPI = "the schema of OpenAPI v2 is not served as protobuf, which this kubectl asks for"
TYPES = "kubectl explain tells types by the names of their definitions"
# Steps that are answered otherwise, by story, and why.
KNOWN: dict[str, dict[str, str]] = {
    "apply": {
        "kubectl apply -f kind.yaml": OPENAPI,
    },
    "edit": {
        'kubectl patch deploy web --subresource=scale --type=merge -p \'{"spec":{"replicas":0}}\'': (
            "kubectl compares the Deployment, not its size"
        ),
        'kubectl patch deploy web -p \'{"spec":{"selector":{"matchLabels":{"a":"b"}}}}\'': (
            "two complaints come in the other order"
        ),
    },
    "get": {"kubectl get deploy web --subresource=scale": "a Scale is shown as its object in a Table"},
    "rollout": {
        "kubectl get deploy web -o jsonpath='{.metadata.annotations.deployment\\.kubernetes\\.io/revision}"
        " {.metadata.generation} {.status.observedGeneration}'": "a change raised no generation here",
    },
    "wait": {"kubectl wait --for=delete pod/p --timeout=1s": "kubectl may complain of a short watch"},
    "explain": {
        "kubectl explain pods.spec.containers.resources": TYPES,
        "kubectl explain deployment.spec.strategy --recursive": TYPES,
        "kubectl explain job.spec --recursive": TYPES,
        "kubectl explain pdb.spec": TYPES,
        "kubectl explain deploy --output=plaintext-openapiv2": OPENAPI,
        "kubectl api-resources | grep -v example.org": "flow control and device claims are not served",
        "kubectl api-versions | grep -v example.org": "flow control and device claims are not served",
    },
    "errors": {"kubectl create -f version.yaml": OPENAPI},
}
STORIES = {story["story"]: story for story in read_stories()}


@pytest.fixture(scope="module")
def nodes(installation: Installation) -> dict[str, str]:
    """The nodes that stories name, labelled as in the lab."""
    for number, kind in ((1, "real"), (2, "real"), (3, "hollow")):
        installation.kubectl("label", "node", f"node-{number}", f"lab/kind={kind}", "--overwrite")
    return {"real": "node-1", "hollow": "node-3"}


@pytest.mark.parametrize("name", STORIES)
def test_a_story_goes_as_it_was_recorded(
    installation: Installation, nodes: dict[str, str], name: str
) -> None:
    known, wrong = KNOWN.get(name, {}), list[Any]()
    for step, answer in Play(installation.config, find_kubectl(), STORIES[name], nodes, 30).run():
        if differs(step, answer) and step["command"] not in known:
            wrong.append({"command": step["command"], "recorded": step, "got": answer})
    assert not wrong


def test_few_steps_are_known_to_differ() -> None:
    count = sum(not step.get("setup") for story in STORIES.values() for step in story["steps"])
    assert sum(map(len, KNOWN.values())) <= 0.05 * count, (count, "at least 95 % go as recorded")
