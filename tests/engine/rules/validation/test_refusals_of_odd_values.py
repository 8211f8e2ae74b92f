"""What an API server answers to values that are there and say nothing, or less than nothing."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.heart.settings import FEATURE_DEFAULTS
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_create

Json = dict[str, Any]
RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}
POLICIES = 'supported values: "Always", "Never", "OnFailure"'
NOT_REQUIRED = "must be 'NotRequired' when `restartPolicy` is 'Never'"
BELOW = 'Invalid value: "-1": must be greater than or equal to 0'
MAIN = "spec.containers[0]"


def refuse(kind: str, version: str, spec: Json, gates: Json | None = None) -> list[str]:
    data = {"apiVersion": version, "kind": kind, "metadata": {"name": "web"}, "spec": spec}
    known = FEATURE_DEFAULTS | (gates or {})
    return [str(error) for error in validate_create(apply_defaults(data, known), known)]


def refuse_pod(container: Json, gates: Json | None = None, **spec: Any) -> list[str]:
    app = {"name": "app", "image": "web:1", **container}
    return refuse("Pod", "v1", {"containers": [app], **spec}, gates)


def init(**container: Any) -> Json:
    return {"initContainers": [{"image": "web:1", **container}]}


def policy(restart: str) -> Json:
    return {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": restart}]}


@pytest.mark.parametrize(
    "container, spec, said",
    [
        pytest.param(policy("NotRequired"), {"restartPolicy": "Never"}, [], id="a resize in place"),
        pytest.param(policy("RestartContainer"), {}, [], id="a resize by a restart"),
        pytest.param(
            policy("RestartContainer"),
            {"restartPolicy": "Never"},
            [f'{MAIN}.resizePolicy: Invalid value: "RestartContainer": {NOT_REQUIRED}'],
            id="a resize by a restart in a pod that knows none",
        ),
        pytest.param(
            {"resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "-1"}}},
            {},
            [
                f"{MAIN}.resources.limits[cpu]: {BELOW}",
                f'{MAIN}.resources.requests: Invalid value: "100m": must be less than or equal to cpu limit'
                " of -1",
            ],
            id="a limit below nothing is one",
        ),
        pytest.param(
            {"restartPolicy": ""},
            {},
            [f'{MAIN}.restartPolicy: Unsupported value: "": {POLICIES}'],
            id="a container's policy of no name",
        ),
        pytest.param(
            {},
            init(name="init", restartPolicy=""),
            [f'spec.initContainers[0].restartPolicy: Unsupported value: "": {POLICIES}'],
            id="an init container's",
        ),
        pytest.param(
            {},
            init(name="init", restartPolicyRules=[RULE, {"action": "Stop"}]),
            [
                "spec.initContainers[0].restartPolicy: Required value:"
                " must specify restartPolicy when restart rules are used"
            ],
            id="rules of an init container without a policy are not looked at",
        ),
        pytest.param(
            {"name": ""},
            init(name=""),
            [
                f"{MAIN}.name: Required value",
                "spec.initContainers[0].name: Required value",
                'spec.initContainers[0].name: Duplicate value: ""',
            ],
            id="no name twice",
        ),
        pytest.param(
            {"securityContext": {"procMount": ""}},
            {},
            [
                f'{MAIN}.securityContext.procMount: Unsupported value: "":'
                ' supported values: "Default", "Unmasked"'
            ],
            id="a mount of no sort",
        ),
        pytest.param(
            {}, {"preemptionPolicy": ""}, ["spec.preemptionPolicy: Required value"], id="no way to preempt"
        ),
        pytest.param({}, {"volumes": [{}]}, ["spec.volumes[0].name: Required value"], id="an empty volume"),
        pytest.param(
            {},
            {"volumes": [{"secret": {"secretName": "a"}}]},
            ["spec.volumes[0].name: Required value"],
            id="a volume without a name",
        ),
    ],
)  # fmt: skip
def test_pods(container: Json, spec: Json, said: list[str]) -> None:
    assert refuse_pod(container, **spec) == said


def test_of_the_actions_of_rules_one_is_told() -> None:
    rules = {"restartPolicy": "Never", "restartPolicyRules": [{**RULE, "action": "Stop"}]}
    (said,) = refuse_pod(rules, gates={"RestartAllContainersOnContainerExits": True})
    place = f"{MAIN}.restartPolicyRules[0].action"
    assert said == f'{place}: Unsupported value: "Stop": supported values: "Restart"'


TEMPLATE: Json = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "app", "image": "web:1"}]},
}
ONCE = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
SELECTOR = {"matchLabels": {"app": "web"}}


@pytest.mark.parametrize(
    "labels, shown",
    [pytest.param({"labels": {}}, "{}", id="empty"), pytest.param({}, "null", id="none")],
)
def test_labels_are_told_as_they_are(labels: Json, shown: str) -> None:
    spec = {"selector": SELECTOR, "template": {**TEMPLATE, "metadata": labels}}
    (said,) = refuse("ReplicaSet", "apps/v1", spec)
    place = "spec.template.metadata.labels"
    assert said == f"{place}: Invalid value: {shown}: `selector` does not match template `labels`"


def test_a_strategy_without_a_name_that_is_known_loses_what_no_gate_lets_in() -> None:
    strategy = {"type": "Always", "rollingUpdate": {"partition": 1, "maxUnavailable": 2}}
    (said,) = refuse(
        "StatefulSet", "apps/v1", {"selector": SELECTOR, "template": TEMPLATE, "updateStrategy": strategy}
    )
    shown = '{"Type":"Always","RollingUpdate":{"Partition":1,"MaxUnavailable":null}}'
    assert said == f"spec.updateStrategy: Invalid value: {shown}: must be 'RollingUpdate' or 'OnDelete'"


def test_a_replacement_policy_of_no_name() -> None:
    found = refuse("Job", "batch/v1", {"template": ONCE, "podReplacementPolicy": ""})
    (said,) = [one for one in found if "podReplacementPolicy" in one]
    supported = 'supported values: "Failed", "TerminatingOrFailed"'
    assert said == f'spec.podReplacementPolicy: Unsupported value: "": {supported}'


@pytest.mark.parametrize(
    "zone, said",
    [
        pytest.param("a..b", "time: invalid location name", id="dots within a name"),
        pytest.param("../b", "unknown time zone ../b", id="a folder up"),
    ],
)
def test_a_time_zone_out_of_its_place(zone: str, said: str) -> None:
    job = {"spec": {"template": ONCE}}
    found = refuse("CronJob", "batch/v1", {"schedule": "* * * * *", "timeZone": zone, "jobTemplate": job})
    assert found == [f'spec.timeZone: Invalid value: "{zone}": {said}']
