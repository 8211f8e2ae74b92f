"""ValidatingAdmissionPolicies as apiserver's pkg/admission/plugin/policy/validating asks them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.kinds.registry import read_object
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.rules.policies.matching import Request
from lifecycle.lean_dataclasses import replace
from tests.engine.api.desk import Desk, make, make_deployment

pytest.importorskip("cel_expr_python")

Json = dict[str, Any]
GROUP = "admissionregistration.k8s.io/v1"
ANY = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}
MAPS = {**ANY, "resources": ["configmaps"]}
PODS = {**ANY, "resources": ["pods"], "operations": ["CREATE"]}
NAMES = "ValidatingAdmissionPolicy 'gate' with binding 'gate'"
HEAD = f'configmaps "box" is forbidden: {NAMES} denied request: '
KEPT = {"expression": "has(object.data) && 'owner' in object.data", "message": "say who owns it"}


def make_policy(*validations: Json, rules: Any = (MAPS,), **spec: Any) -> Json:
    constraints = {"resourceRules": list(rules), **spec.pop("constraints", {})}
    return {
        "apiVersion": GROUP,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "gate"},
        "spec": {"matchConstraints": constraints, "validations": list(validations), **spec},
    }


def make_binding(actions: Any = ("Deny",), **spec: Any) -> Json:
    return {
        "apiVersion": GROUP,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "gate"},
        "spec": {"policyName": "gate", "validationActions": list(actions), **spec},
    }


def make_map(data: Json | None = None, name: str = "box", **meta: Any) -> Json:
    made: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **meta}}
    return made | ({"data": data} if data else {})


def govern(policy: Json, binding: Json | None = None) -> Desk:
    desk = Desk()
    for one in (policy, binding or make_binding()):
        created = desk.create(one)
        assert created.code == 201, created.status
    return desk


def ask(policy: Json, given: Json, binding: Json | None = None) -> tuple[int, str, list[str]]:
    created = govern(policy, binding).submit(
        "create", object=given, request={"userInfo": {"username": "ann"}}
    )
    return created.code, (created.status or {}).get("message", ""), created.warnings


NOT_OWNED = make_map({"a": "b"})
SELECTED = {"objectSelector": {"matchLabels": {"tier": "gold"}}}


@pytest.mark.parametrize(
    "policy, given, binding, answer",
    [
        pytest.param(make_policy(KEPT), make_map({"owner": "x"}), None, (201, "", []), id="kept"),
        pytest.param(make_policy(KEPT), NOT_OWNED, None, (422, HEAD + "say who owns it", []), id="broken"),
        pytest.param(
            make_policy({"expression": "object.metadata.name == 'crate'"}),
            NOT_OWNED,
            None,
            (422, HEAD + "failed expression: object.metadata.name == 'crate'", []),
            id="without a message the expression is told",
        ),
        pytest.param(
            make_policy(
                {**KEPT, "messageExpression": "object.metadata.name + ' of ' + request.userInfo.username"}
            ),
            NOT_OWNED,
            None,
            (422, HEAD + "box of ann", []),
            id="a message that is reckoned, of who asks",
        ),
        pytest.param(
            make_policy({**KEPT, "reason": "Forbidden"}),
            NOT_OWNED,
            None,
            (403, HEAD + "say who owns it", []),
            id="a reason of its own",
        ),
        pytest.param(
            make_policy(KEPT),
            NOT_OWNED,
            make_binding(["Warn", "Audit"]),
            (201, "", [f"Validation failed for {NAMES}: say who owns it"]),
            id="warned of",
        ),
        pytest.param(
            make_policy({"expression": "object.missing.name == ''"}),
            NOT_OWNED,
            None,
            (
                422,
                f"{HEAD}expression 'object.missing.name == ''' resulted in error: no such key: missing",
                [],
            ),
            id="an error is refused",
        ),
        pytest.param(
            make_policy({"expression": "object.missing.name == ''"}, failurePolicy="Ignore"),
            NOT_OWNED,
            None,
            (201, "", []),
            id="an error is passed over",
        ),
        pytest.param(
            make_policy({"expression": "object.data.transformMap(key, one, one) != {}"}),
            NOT_OWNED,
            None,
            (
                201,
                "",
                [
                    f"{NAMES}: the expression 'object.data.transformMap(key, one, one) != {{}}' is not asked:"
                    " the library for CEL does not run transformMap"
                ],
            ),
            id="what cannot be asked is said",
        ),
        pytest.param(
            make_policy(
                {"expression": "variables.large", "message": "small"},
                variables=[
                    {"name": "count", "expression": "size(object.data)"},
                    {"name": "large", "expression": "variables.// how many\ncount > 1"},
                ],
            ),
            NOT_OWNED,
            None,
            (422, HEAD + "small", []),
            id="variables of variables",
        ),
        pytest.param(
            make_policy(
                {"expression": "variables.size > 1"},
                variables=[{"name": "size", "expression": "object.missing"}],
            ),
            NOT_OWNED,
            None,
            (
                422,
                f"{HEAD}expression 'variables.size > 1' resulted in error: composited variable \"size\""
                " fails to evaluate: no such key: missing",
                [],
            ),
            id="an error of a variable",
        ),
        pytest.param(
            make_policy(
                KEPT, matchConditions=[{"name": "gold", "expression": "object.metadata.name == 'gold'"}]
            ),
            NOT_OWNED,
            None,
            (201, "", []),
            id="a condition that does not hold",
        ),
        pytest.param(
            make_policy(KEPT, constraints=SELECTED), NOT_OWNED, None, (201, "", []), id="not selected"
        ),
        pytest.param(
            make_policy(KEPT, constraints=SELECTED),
            make_map(None, labels={"tier": "gold"}),
            None,
            (422, HEAD + "say who owns it", []),
            id="selected by its labels",
        ),
        pytest.param(
            make_policy(
                KEPT, constraints={"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "x"}}}
            ),
            NOT_OWNED,
            None,
            (201, "", []),
            id="another namespace",
        ),
        pytest.param(
            make_policy(KEPT, constraints={"excludeResourceRules": [{**MAPS, "resourceNames": ["box"]}]}),
            NOT_OWNED,
            None,
            (201, "", []),
            id="excluded by its name",
        ),
        pytest.param(
            make_policy(KEPT, rules=[{**MAPS, "scope": "Cluster"}]),
            NOT_OWNED,
            None,
            (201, "", []),
            id="scope",
        ),
        pytest.param(
            make_policy(KEPT),
            NOT_OWNED,
            make_binding(matchResources={"objectSelector": {"matchLabels": {"tier": "gold"}}}),
            (201, "", []),
            id="not bound",
        ),
        pytest.param(
            make_policy(KEPT, paramKind={"apiVersion": "v1", "kind": "ConfigMap"}),
            NOT_OWNED,
            make_binding(paramRef={"name": "limits", "parameterNotFoundAction": "Deny"}),
            (
                422,
                HEAD + "failed to configure binding: no params found for policy binding with `Deny`"
                " parameterNotFoundAction",
                [],
            ),
            id="parameters that are not there",
        ),
        pytest.param(
            make_policy({"expression": "namespaceObject.metadata.name == 'default' && oldObject == null"}),
            NOT_OWNED,
            None,
            (201, "", []),
            id="the namespace, and no old object",
        ),
        pytest.param(
            make_policy(KEPT, auditAnnotations=[{"key": "k", "valueExpression": "1"}]),
            make_map({"owner": "x"}),
            None,
            (
                422,
                HEAD
                + "valueExpression '1' resulted in unsupported return type: int. Return type must be either"
                " string or null.",
                [],
            ),
            id="an annotation that is no text",
        ),
    ],
)
@pytest.mark.spec("CEL-04")
def test_a_write_is_held_to_the_policies_that_are_bound(policy, given, binding, answer):
    assert ask(policy, given, binding) == answer


@pytest.mark.spec("CEL-04")
def test_parameters_changes_and_deletions_are_asked_of():
    rules = {"expression": "oldObject == null || params.data.locked != 'yes'", "message": "locked"}
    policy = make_policy(rules, paramKind={"apiVersion": "v1", "kind": "ConfigMap"})
    desk = Desk()
    desk.create(make_map({"locked": "yes"}, "limits"))
    desk.create(policy)
    desk.create(make_binding(paramRef={"name": "limits", "parameterNotFoundAction": "Deny"}))
    assert desk.create(NOT_OWNED).code == 201
    changed = desk.patch("ConfigMap", {"data": {"a": "c"}}, "box")
    gone = desk.submit("delete", kind="ConfigMap", name="box", namespace="default")
    assert [(one.code, (one.status or {})["message"]) for one in (changed, gone)] == [
        (422, HEAD + "locked")
    ] * 2
    assert (changed.status or {})["details"]["causes"] == [{"message": f"{NAMES} denied request: locked"}]


@pytest.mark.spec("CEL-04")
def test_pods_of_controllers_are_asked_of_and_who_makes_them_is_not_known():
    policy = make_policy(
        {"expression": "object.spec.containers.all(c, !c.image.endsWith(':latest'))", "message": "no latest"},
        {"expression": "request.userInfo.username == 'ann'"},
        rules=[PODS],
    )
    desk = govern(policy)
    pod = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "a", "image": "x:latest"}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": pod}
    desk.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec})
    desk.cluster.run_until(5_000)
    assert desk.cluster.list("Pod") == []
    (condition,) = desk.cluster.list("ReplicaSet")[0]["status"]["conditions"]
    assert condition["type"] == "ReplicaFailure"
    assert condition["message"].endswith(f"is forbidden: {NAMES} denied request: no latest")


SERVICE = {"selector": {"app": "web"}, "ports": [{"port": 80}]}


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE", "DELETE"])
def test_a_refusal_of_whatever_a_component_writes_ends_no_history(operation: str):
    """Its controller tries again, and succeeds once the policy is gone."""
    desk = Desk()
    desk.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
    desk.create(make("Service", "web", spec=SERVICE))
    desk.create(make_deployment(2))
    desk.cluster.run_until(10_000)
    desk.create(make_policy({"expression": "false"}, rules=[{**ANY, "operations": [operation]}]))
    desk.create(make_binding())
    desk.cluster.run_until(20_000)
    made = desk.create(make("Service", "late", spec=SERVICE))
    assert made.code == (422 if operation == "CREATE" else 201)
    gone = desk.submit("delete", kind="Deployment", name="web", propagationPolicy="Background")
    assert gone.code == (422 if operation == "DELETE" else 200)
    desk.submit("delete", kind="Namespace", name="other", namespace="")
    desk.submit("delete", kind="Lease", name="node-1", namespace="kube-node-lease")
    desk.cluster.run_until(120_000)
    for kind in ("ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"):
        assert desk.submit("delete", kind=kind, name="gate", namespace="").code == 200
    desk.submit("delete", kind="Deployment", name="web", propagationPolicy="Background")
    desk.submit("delete", kind="Namespace", name="other", namespace="")
    desk.cluster.run_until(2_000_000)
    assert "other" not in [one["metadata"]["name"] for one in desk.cluster.list("Namespace")]
    assert desk.cluster.list("ReplicaSet") == desk.cluster.list("Pod") == []
    assert "node-1" in [one["metadata"]["name"] for one in desk.cluster.list("Lease")]


def test_what_was_refused_is_retried_after_saving_too():
    policy = make_policy({"expression": "false"}, rules=[{**ANY, "resources": ["endpointslices"]}])
    desk = govern(policy)
    desk.create(make("Service", "web", spec=SERVICE))
    desk.cluster.run_until(1_000)
    assert len(desk.cluster.list("EndpointSlice")) == 1, "of the Service kubernetes"
    desk.cluster.take_changes()
    again = Cluster.load(desk.cluster.save())
    unbound = {"kind": "ValidatingAdmissionPolicyBinding", "name": "gate", "namespace": ""}
    for cluster in (desk.cluster, again):
        assert cluster.submit(Command("x", "delete", unbound)).code == 200
        cluster.run_until(1_100_000)
        assert len(cluster.list("EndpointSlice")) == 2


OPTIONS = {
    "create": ("request.options == {'apiVersion': 'meta.k8s.io/v1', 'kind': 'CreateOptions'}", {}),
    "create by name": (
        "request.options.fieldManager == 'me' && request.options.fieldValidation == 'Strict'",
        {"fieldManager": "me", "fieldValidation": "Strict"},
    ),
    "rehearse": ("request.options.dryRun == ['All'] && request.dryRun", {"dryRun": ["All"]}),
}


@pytest.mark.parametrize("expression, request_", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.spec("CEL-05")
def test_a_policy_sees_the_options_of_a_write(expression, request_):
    desk = govern(make_policy({"expression": expression}))
    assert desk.submit("create", object=make_map(), request=request_).code == 201


@pytest.mark.spec("CEL-05")
def test_options_are_those_of_the_verb_and_a_patch_that_creates_has_those_of_a_creation():
    kinds = ["CREATE", "UPDATE", "DELETE"]
    told = {"expression": "false", "messageExpression": "request.options.kind + ' ' + request.operation"}
    desk, words = Desk(), []
    apply = {"kind": "ConfigMap", "name": "box", "type": "apply", "patch": make_map(), "force": True}
    by = {"fieldManager": "me", "force": True}
    for kind in kinds:
        desk.create(make_policy(told, rules=[{**MAPS, "operations": [kind]}]))
        desk.create(make_binding())
        found = [desk.submit("patch", **apply, request=by)]
        found.append(desk.submit("delete", kind="ConfigMap", name="box", namespace="default", request={}))
        words += [one.status["message"].rpartition(": ")[2] for one in found if one.code == 422]
        for policy in ("ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"):
            desk.submit("delete", kind=policy, name="gate", namespace="")
        desk.submit("patch", **apply, request=by)
    assert words == ["CreateOptions CREATE", "PatchOptions UPDATE", "DeleteOptions DELETE"]


@pytest.mark.parametrize(
    "match, expression, code",
    [
        pytest.param("Equivalent", "object.spec.targetCPUUtilizationPercentage == 70", 201, id="as v1"),
        pytest.param("Equivalent", "object.apiVersion != 'autoscaling/v1'", 422, id="by its name too"),
        pytest.param("Exact", "false", 201, id="another version is not asked of"),
    ],
)
@pytest.mark.spec("CEL-06")
def test_a_policy_sees_an_object_in_the_version_that_its_rule_names(match, expression, code):
    rule = {**ANY, "resources": ["horizontalpodautoscalers"], "apiVersions": ["v1"]}
    desk = govern(make_policy({"expression": expression}, rules=[rule], constraints={"matchPolicy": match}))
    metric = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": 3,
        "metrics": [{"type": "Resource", "resource": metric}],
    }
    scaler = make("HorizontalPodAutoscaler", spec=spec) | {"apiVersion": "autoscaling/v2"}
    assert desk.create(scaler).code == code


@pytest.mark.parametrize(
    "match, version, words",
    [
        pytest.param("Exact", "v1", "v1 of v1: autoscaling/v1", id="the version it was sent in"),
        pytest.param("Exact", "v2", "", id="no longer the one that is stored"),
        pytest.param("Equivalent", "v2", "v2 of v1: autoscaling/v2", id="another of its kind"),
    ],
)
@pytest.mark.spec("CEL-06")
def test_a_policy_sees_the_version_that_a_request_was_sent_in(match, version, words):
    rule = {**ANY, "resources": ["horizontalpodautoscalers"], "apiVersions": [version]}
    shown = "request.kind.version + ' of ' + request.requestKind.version + ': ' + object.apiVersion"
    told = {"expression": "false", "messageExpression": shown}
    desk = govern(make_policy(told, rules=[rule], constraints={"matchPolicy": match}))
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": 3,
    }
    scaler = make("HorizontalPodAutoscaler", spec=spec) | {"apiVersion": "autoscaling/v2"}
    made = desk.submit("create", object=scaler, request={"apiVersion": "autoscaling/v1"})
    assert (made.code, (made.status or {}).get("message", "").partition("request: ")[2]) == (
        (422, words) if words else (201, "")
    )


def test_objects_are_made_once_for_each_version_and_not_for_the_one_they_are_of():
    counted: list[Json] = []
    form = SimpleNamespace(show=lambda data: counted.append(data) or {**data, "shown": True})
    kind = Kind("example.org/v1", "Box", "boxes", True)
    stored = {"apiVersion": "example.org/v1", "kind": "Box"}
    request = Request("UPDATE", kind, ["v1", "v2"], "", "", object=stored, old=stored, forms={"v2": form})
    assert request.as_version("v1") is request
    seen = request.as_version("v2")
    assert request.as_version("v2") is seen and len(counted) == 2
    assert seen.object == {"apiVersion": "example.org/v2", "kind": "Box", "shown": True}
    assert replace(request, object={**stored, "spec": 1}).as_version("v2").object["spec"] == 1


def test_variables_count_where_they_are_read():
    """Kubernetes evaluates them lazily (pkg/cel/lazy): a branch that is not taken fails nobody."""
    variables = [
        {"name": "broken", "expression": "object.data.nope"},
        {"name": "twice", "expression": "variables.broken + variables.broken"},
    ]
    lazy = {"expression": "!has(object.data) || variables.twice == ''"}
    assert ask(make_policy(lazy, variables=variables), make_map())[0] == 201
    code, message, _ = ask(make_policy(lazy, variables=variables), make_map({"a": "b"}))
    assert code == 422
    assert 'composited variable "broken" fails to evaluate: no such key: nope' in message
    chain = [{"name": "v0", "expression": "1"}]
    chain += [{"name": f"v{n}", "expression": f"variables.v{n - 1} + 1"} for n in range(1, 1500)]
    made = ask(make_policy({"expression": "variables.v1499 > 0"}, variables=chain), make_map())
    assert made[0] in (201, 422) and "RecursionError" not in made[1]


def test_what_says_who_is_asked_is_not_asked_of():
    desk = govern(make_policy({"expression": "false"}, rules=[ANY]))
    assert desk.submit("delete", kind="ValidatingAdmissionPolicy", name="gate").code == 200


SOMEBODY = {"name": "x", "parameterNotFoundAction": "Deny"}
ASKED = {"matchConstraints": {"resourceRules": [ANY]}}
BOX = {"kind": "ConfigMap", "name": "box", "namespace": "default"}
ODD_RULES = {"resourceRules": [None, {"resources": [None, ""]}]}


@pytest.mark.parametrize(
    "spec, of_policy, of_binding",
    [
        pytest.param(None, 422, 422, id="none"),
        pytest.param({}, 422, 422, id="empty"),
        pytest.param({**ASKED, "validations": [{}], "variables": [{}]}, 422, 422, id="without expressions"),
        pytest.param(
            {**ASKED, "paramKind": {}, "paramRef": {}, "policyName": "gate"},
            422,
            422,
            id="parameters of nothing",
        ),
        pytest.param({"validations": [None, {}]}, 400, 422, id="a validation that is null"),
        pytest.param({"variables": [None]}, 400, 422, id="a variable that is null"),
        pytest.param({"matchConditions": [None]}, 400, 422, id="a condition that is null"),
        pytest.param({"auditAnnotations": [None]}, 400, 422, id="an annotation that is null"),
        pytest.param({"matchConstraints": ODD_RULES}, 400, 422, id="a rule that is null"),
        pytest.param({"matchResources": ODD_RULES}, 422, 400, id="a rule of a binding that is null"),
        pytest.param(
            {"matchConstraints": {"objectSelector": {"matchExpressions": [None]}}}, 400, 422, id="a selector"
        ),
    ],
)
def test_what_is_no_policy_is_refused_and_harms_no_write_where_it_is_stored(spec, of_policy, of_binding):
    """Fields of the other kind are unknown, and dropped. What cannot be read (400) was never stored.

    What breaks a rule (422) was, before there was the rule, and is in checkpoints.
    """
    for kind, code in (
        ("ValidatingAdmissionPolicy", of_policy),
        ("ValidatingAdmissionPolicyBinding", of_binding),
    ):
        desk = Desk()
        odd = {"apiVersion": GROUP, "kind": kind, "metadata": {"name": "gate"}, "spec": spec}
        assert desk.create(odd).code == code
        other = make_policy(KEPT) if kind.endswith("Binding") else make_binding(paramRef=SOMEBODY)
        assert desk.create(other).code == 201
        if code == 422:
            desk.cluster._store.restore(read_object({**odd, "metadata": {"name": "gate", "uid": "7"}}, 0))
        desk.cluster.take_changes()
        cluster = Cluster.load(desk.cluster.save())
        assert [one.get("spec") for one in cluster.list(kind)] == ([spec] if code == 422 else [])
        assert cluster.submit(Command("w", "create", {"object": NOT_OWNED})).code == 201
        assert cluster.submit(Command("d", "delete", BOX)).code == 200


def test_a_kind_of_parameters_that_nobody_knows_is_refused_as_the_policy_says():
    unknown = {"apiVersion": "nobody/v1", "kind": "Nothing"}
    binding = make_binding(["Warn"], paramRef=SOMEBODY)
    words = "failed to configure binding: paramKind kind `nobody/v1, Kind=Nothing` not known"
    assert ask(make_policy(KEPT, paramKind=unknown), NOT_OWNED, binding) == (422, HEAD + words, [])
    passed = make_policy(KEPT, paramKind=unknown, failurePolicy="Ignore")
    assert ask(passed, NOT_OWNED, binding) == (201, "", [])
