"""Scenario documents: reading with paths, and writing what reads back."""

import pytest

from lifecycle.input.manifests import ManifestError
from lifecycle.input.scenario import check_settings, read_scenario
from tests.texts import read_manifests

HEAD = "apiVersion: podline.dev/v1alpha1\nkind: Scenario\nmetadata: {name: test}\nspec:\n"


def read(spec):
    (document,) = read_manifests(HEAD + spec)
    return read_scenario(document)


def read_step(step):
    (found,) = read(f"  steps:\n  - {step}\n").steps
    return found


def refuse(spec):
    with pytest.raises(ManifestError) as caught:
        read(spec)
    return [f"{problem.path}: {problem.message}" for problem in caught.value.problems]


DEFAULT = {"namespace": "default"}
WHOLE = "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: app, image: nginx}]}}"
WHOLE_DATA = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "b"},
    "spec": {"containers": [{"name": "app", "image": "nginx"}]},
}


@pytest.mark.parametrize(
    "step, kind, payload",
    [
        (
            '{at: 60s, setImage: {deployment: web, container: app, image: "web:2"}}',
            "setImage",
            {"kind": "Deployment", "name": "web", "container": "app", "image": "web:2"} | DEFAULT,
        ),
        (
            "{at: 90s, scale: {statefulset: db, replicas: 5, namespace: shop}}",
            "scale",
            {"kind": "StatefulSet", "name": "db", "replicas": 5, "namespace": "shop"},
        ),
        (
            "{at: 2m, patch: {kind: Pod, name: web-0, type: merge, patch: {spec: {nodeName: a}}}}",
            "patch",
            {
                "kind": "Pod",
                "name": "web-0",
                "type": "merge",
                "patch": {"spec": {"nodeName": "a"}},
            }
            | DEFAULT,
        ),
        (
            "{at: 3m, delete: {kind: Pod, name: a, gracePeriodSeconds: 5, propagationPolicy: Background}}",
            "delete",
            {"kind": "Pod", "name": "a", "gracePeriodSeconds": 5, "propagationPolicy": "Background"}
            | DEFAULT,
        ),
        (
            '{at: 4m, apply: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"}',
            "apply",
            {"object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}},
        ),
        (
            "{at: 5m, rollout: {undo: deployment/web, toRevision: 1}}",
            "rollout",
            {"kind": "Deployment", "name": "web", "action": "undo", "toRevision": 1} | DEFAULT,
        ),
        (
            "{at: 6m, drain: {node: node-1, ignoreDaemonSets: true, gracePeriodSeconds: -1, timeout: 10m}}",
            "drain",
            {"node": "node-1", "ignoreDaemonSets": True, "gracePeriodSeconds": -1, "timeout": "10m"},
        ),
        ("{at: 6m, cordon: {node: node-1}}", "cordon", {"node": "node-1"}),
        (
            "{at: 7m, fault: {node: node-2, kind: partition, for: 6m}}",
            "fault",
            {"node": "node-2", "kind": "partition", "for": "6m"},
        ),
        (
            "{at: 8m, fault: {pod: web-1, container: app, kind: exit, code: 137, reason: OOMKilled}}",
            "fault",
            {"pod": "web-1", "container": "app", "kind": "exit", "code": 137, "reason": "OOMKilled"}
            | DEFAULT,
        ),
        ("{at: 9m, remove: {node: node-2}}", "remove", {"node": "node-2"}),
        (
            f"{{at: 9m, staticPod: {{node: a, manifest: {WHOLE}}}}}",
            "staticPod",
            {"node": "a", "manifest": WHOLE_DATA},
        ),
        (
            f'{{at: 9m, staticPod: {{node: a, manifest: "{WHOLE}"}}}}',
            "staticPod",
            {"node": "a", "manifest": WHOLE_DATA},
        ),
        (
            "{at: 9m, staticPod: {node: a, remove: b}}",
            "staticPod",
            {"node": "a", "remove": "b", "namespace": "default"},
        ),
    ],
)
def test_a_step_becomes_a_command(step, kind, payload):
    found = read_step(step)
    assert (found.kind, found.payload) == (kind, payload)


def test_steps_are_sorted_by_instant_and_keep_their_order_within_one():
    steps = read("  steps:\n" + "".join(f"  - {{at: {at}, cordon: {{node: {node}}}}}\n" for at, node in [
        ("2s", "a"), ("1s", "b"), ("2s", "c"), ("1500ms", "d"),
    ])).steps  # fmt: skip
    assert [(step.at_ms, step.payload["node"]) for step in steps] == [
        (1000, "b"), (1500, "d"), (2000, "a"), (2000, "c"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "expect, claim, from_ms, to_ms",
    [
        ('{always: "deployment/web Available", from: 30s, to: 10m}', "always", 30_000, 600_000),
        ('{always: "deployment/web Available"}', "always", None, None),
        ('{eventually: "pod/a gone", within: 2m}', "eventually", None, 120_000),
        ('{eventually: "pod/a gone", from: 1m, within: 2m}', "eventually", 60_000, 180_000),
        ('{at: 45s, holds: "pod/a exists"}', "holds", 45_000, 45_000),
    ],
)
def test_a_claim_and_its_time(expect, claim, from_ms, to_ms):
    (found,) = read(f"  expect:\n  - {expect}\n").expects
    assert (found.claim, found.from_ms, found.to_ms) == (claim, from_ms, to_ms)


@pytest.mark.parametrize(
    "spec, said",
    [
        ("  steps: [{at: soon, cordon: {node: a}}]", "spec.steps[0].at: must be a duration, not the text"),
        ("  steps: [{at: 1s}]", "spec.steps[0]: a step says one thing to do, not nothing"),
        ("  steps: [{at: 1s, explode: {}}]", "spec.steps[0]: a step says one thing to do, not explode"),
        ("  steps: [{at: 1s, scale: {deployment: web}}]", "spec.steps[0].scale: replicas is missing"),
        (
            "  steps: [{at: 1s, scale: {deployment: web, replicas: many}}]",
            "spec.steps[0].scale.replicas: has the wrong type",
        ),
        ("  steps: [{at: 1s, scale: {replicas: 1}}]", "spec.steps[0].scale: must name one object"),
        (
            "  steps: [{at: 1s, fault: {node: a, kind: fire}}]",
            "spec.steps[0].fault.kind: must be one of crash",
        ),
        (
            "  steps: [{at: 1s, staticPod: {node: a}}]",
            "spec.steps[0].staticPod: must give a manifest or the name of one",
        ),
        (
            "  steps: [{at: 1s, staticPod: {node: a, "
            "manifest: {apiVersion: v1, kind: Node, metadata: {name: b}}}}]",
            "spec.steps[0].staticPod.manifest: must be a Pod",
        ),
        ("  steps: [{at: 1s, apply: 'a: b: c'}]", "spec.steps[0].apply: document 1, line 1: not valid YAML"),
        ("  steps: [{at: 1s, rollout: {undo: web}}]", "spec.steps[0].rollout.undo: must name a workload"),
        ("  until: whenever", 'spec.until: "whenever" is neither a duration'),
        ("  timing: warp", "spec.timing: timing 'warp'"),
        ("  expect: [{holds: 'pod/a exists'}]", "spec.expect[0]: at is missing"),
        ("  expect: [{always: 'pod a'}]", 'spec.expect[0].always: "pod a" is no expression'),
        ("  expect: [{always: 'pod/a exists', within: 1s}]", 'spec.expect[0].within: unknown field "within"'),
        ("  expect: [{maybe: 'pod/a exists'}]", "spec.expect[0]: must claim one thing"),
        ("  expect: [{sequence: pod/a phase}]", "spec.expect[0].is: must be a list"),
        ("  expect: [{sequence: a phase, is: []}]", 'spec.expect[0].sequence: "a phase" is not the lane'),
        ("  expect: [{sequence: pod/a phase, is: [now]}]", 'spec.expect[0].is[0]: "now" is not an instant'),
        ("  expect: [{sequence: pod/a phase, is: [], at: 1s}]", 'spec.expect[0].at: unknown field "at"'),
    ],
)
def test_a_mistake_is_named_at_its_path(spec, said):
    found = refuse(spec)
    assert found[0].startswith(said), found


POD = "apiVersion: v1, kind: Pod, metadata: {name: b}"


@pytest.mark.parametrize(
    "step, said",
    [
        ("replace: {kind: Pod}", "apiVersion: apiVersion not set"),
        (
            f"staticPod: {{node: a, manifest: {{{POD}, spec: {{containers: [{{env: 5}}]}}}}}}",
            "spec.containers[0].env: must be a list, not the number 5",
        ),
    ],
)
def test_what_never_gets_to_an_api_server_is_refused_at_its_line(step, said):
    with pytest.raises(ManifestError) as caught:
        read(f"  seed: 1\n  steps:\n  - {{at: 1s, {step}}}\n")
    (problem,) = caught.value.problems
    assert f"{problem.path}: {problem.message}".startswith(said)
    assert problem.line == 7


@pytest.mark.parametrize(
    "step",
    [
        f"apply: {{{POD}, spec: {{container: []}}}}",
        f"create: {{{POD}, spec: []}}",
        f"replace: '{{{POD}, spec: {{containers: [{{env: 5}}]}}}}'",
    ],
)
def test_faults_of_an_object_are_for_an_api_server_to_refuse(step):
    """v1.35 answers at the step's instant, and the run goes on."""
    payload = read_step(f"{{at: 1s, {step}}}").payload
    assert payload["fieldValidation"] == "Strict"
    assert payload["object"]["metadata"] == {"name": "b"}


def test_values_of_a_step_are_looked_at_when_its_time_comes():
    text = f"{{at: 1s, apply: '{{{POD}, spec: {{containers: []}}}}'}}"
    assert read_step(text).payload["object"]["spec"] == {"containers": []}


def test_an_object_that_is_to_be_refused_may_be_of_any_shape():
    step = read_step(f"{{at: 1s, refused: spec, apply: {{{POD}, spec: {{container: []}}}}}}")
    assert step.payload["object"]["spec"] == {"container": []}


def test_unknown_fields_and_wrong_types_are_refused_by_the_schema():
    with pytest.raises(ManifestError) as caught:
        read("  seeds: 7\n  nodes: {count: three}\n")
    assert [problem.path for problem in caught.value.problems] == ["spec.seeds", "spec.nodes.count"]


# --- no key is swallowed ----------------------------------------------------------------------------------

POD_GONE = {"kind": "Pod", "name": "a"} | DEFAULT


@pytest.mark.parametrize(
    "options, payload",
    [
        ("{}", {"options": {}}),
        ("null", {"options": None}),
        ("{gracePeriodSeconds: 3}", {"gracePeriodSeconds": 3, "options": {}}),
        ("{propagationPolicy: Orphan}", {"propagationPolicy": "Orphan", "options": {}}),
        ("{orphanDependents: true}", {"propagationPolicy": "Orphan", "options": {}}),
        ("{orphanDependents: false}", {"propagationPolicy": "Background", "options": {}}),
        ("{preconditions: {uid: u}}", {"preconditions": {"uid": "u"}, "options": {}}),
        ("{dryRun: [All]}", {"request": {"dryRun": ["All"]}, "options": {}}),
        ("{apiVersion: v1, kind: DeleteOptions}", {"options": {}}),
    ],
)
def test_options_of_a_delete_step_are_those_of_the_api(options, payload):
    step = read_step(f"{{at: 1s, delete: {{kind: Pod, name: a, options: {options}}}}}")
    assert step.payload == POD_GONE | payload


@pytest.mark.parametrize(
    "step, path, message",
    [
        ("setImage: {deployment: a, container: c, image: i, odd: 1}", "setImage.odd", "unknown field"),
        ("scale: {deployment: a, replicas: 1, odd: 1}", "scale.odd", "unknown field"),
        ("patch: {kind: Pod, name: a, patch: {}, odd: 1}", "patch.odd", "unknown field"),
        ("delete: {kind: Pod, name: a, odd: 1}", "delete.odd", "unknown field"),
        ("delete: {kind: Pod, name: a, options: {odd: 1}}", "delete.options.odd", "unknown field"),
        (
            "delete: {kind: Pod, name: a, preconditions: {odd: x}}",
            "delete.preconditions.odd",
            "unknown field",
        ),
        (
            "delete: {kind: Pod, name: a, options: {preconditions: {odd: x}}}",
            "delete.options.preconditions.odd",
            "unknown field",
        ),
        (
            "delete: {kind: Pod, name: a, options: {propagationPolicy: Orphan, orphanDependents: true}}",
            "delete.options.orphanDependents",
            "cannot be both set",
        ),
        (
            "delete: {kind: Pod, name: a, gracePeriodSeconds: 1, options: {gracePeriodSeconds: 2}}",
            "delete.options.gracePeriodSeconds",
            "is given beside the options too",
        ),
        (
            "delete: {kind: Pod, name: a, options: {propagationPolicy: Never}}",
            "delete.options.propagationPolicy",
            "must be one of",
        ),
        ("delete: {kind: Pod, name: a, options: {dryRun: [Some]}}", "delete.options.dryRun", "must be [All]"),
        ("rollout: {restart: deployment/a, odd: 1}", "rollout.odd", "unknown field"),
        ("drain: {node: a, odd: 1}", "drain.odd", "unknown field"),
        ("cordon: {node: a, odd: 1}", "cordon.odd", "unknown field"),
        ("uncordon: {node: a, odd: 1}", "uncordon.odd", "unknown field"),
        ("remove: {node: a, odd: 1}", "remove.odd", "unknown field"),
        ("taint: {node: a, taints: [], odd: 1}", "taint.odd", "unknown field"),
        (
            "taint: {node: a, taints: [{key: k, effect: NoSchedule, odd: 1}]}",
            "taint.taints[0].odd",
            "unknown field",
        ),
        ("evict: {pod: a, odd: 1}", "evict.odd", "unknown field"),
        ("evict: {pod: a, preconditions: {odd: x}}", "evict.preconditions.odd", "unknown field"),
        ("fault: {node: a, kind: crash, odd: 1}", "fault.odd", "unknown field"),
        ("fault: {node: a, kind: crash, available: 1Mi}", "fault.available", "unknown field"),
        ("fault: {pod: a, kind: sandbox, code: 1}", "fault.code", "unknown field"),
        ("fault: {pod: a, kind: exit, code: 1, for: 3s}", "fault.for", "unknown field"),
        ("staticPod: {node: a, remove: b, odd: 1}", "staticPod.odd", "unknown field"),
    ],
)
def test_no_key_of_a_step_is_swallowed(step, path, message):
    (problem,) = refuse(f"  steps:\n  - {{at: 1s, {step}}}\n")
    assert problem.startswith(f"spec.steps[0].{path}: ") and message in problem


@pytest.mark.parametrize("kind", ["apply", "create", "replace"])
def test_a_key_of_an_object_that_nobody_knows_goes_to_the_api_server_to_be_refused(kind):
    odd = "{apiVersion: v1, kind: Pod, metadata: {name: b}, odd: 1}"
    assert read_step(f"{{at: 1s, {kind}: {odd}}}").payload["fieldValidation"] == "Strict"


# --- the release ------------------------------------------------------------------------------------------

THERE_ARE = (
    "there are v1.37 (v1.37.0, not recorded), v1.36 (v1.36.3), v1.35 (v1.35.6), v1.34 (v1.34.9),"
    " v1.23.1 (not recorded)"
)


@pytest.mark.parametrize(
    "spec, expected",
    [
        pytest.param(
            '  kubernetes: "1.99"\n',
            [f"spec.kubernetes: Kubernetes '1.99' is not modelled; {THERE_ARE}"],
            id="of a later release",
        ),
        pytest.param(
            "  compatibility: v1.99\n",
            [f"spec.compatibility: Kubernetes 'v1.99' is not modelled; {THERE_ARE}"],
            id="in the older spelling",
        ),
        pytest.param(
            '  kubernetes: ""\n',
            [f"spec.kubernetes: Kubernetes '' is not modelled; {THERE_ARE}"],
            id="of none",
        ),
        pytest.param(
            "  kubernetes: v1.35\n  compatibility: v1.23.1\n",
            [
                "spec.compatibility: compatibility is v1.23.1, and kubernetes is v1.35: give kubernetes"
                " alone, since compatibility is its older spelling"
            ],
            id="of two",
        ),
        pytest.param(
            "  kubernetes: v1.35\n  featureGates: {SidecarContainer: true}\n",
            [
                "spec.featureGates: unrecognized feature gate 'SidecarContainer'; did you mean"
                " SidecarContainers?"
            ],
            id="without such a gate",
        ),
    ],
)
def test_a_release_that_is_not_modelled_is_refused(spec: str, expected: list[str]):
    assert refuse(spec) == expected


def test_a_switch_that_does_not_exist_is_refused_where_it_stands():
    (problem,) = refuse("  switches: {deploymentRollbackEvent: true}\n")
    assert problem.startswith("spec.switches: unknown switch 'deploymentRollbackEvent'; there are ")


def test_the_line_of_a_release_that_is_not_modelled_is_told():
    with pytest.raises(ManifestError) as caught:
        read("  seed: 1\n  kubernetes: v1.99\n")
    assert [problem.line for problem in caught.value.problems] == [6]


def test_a_release_and_its_switches_are_read():
    spec = '  kubernetes: "1.23.1"\n  switches: {deploymentRollbackEvents: true}\n'
    expected = {"kubernetes": "1.23.1", "switches": {"deploymentRollbackEvents": True}}
    assert read(spec).settings == expected
    assert check_settings(expected) == []


def test_the_settings_of_a_new_cluster_name_their_release():
    (problem,) = check_settings({"kubernetes": "v1.99", "nodes": {"count": 1}})
    assert (problem.path, problem.message) == (
        "kubernetes",
        f"Kubernetes 'v1.99' is not modelled; {THERE_ARE}",
    )
