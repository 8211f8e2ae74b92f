"""Where a problem most likely comes from is said beside it."""

import pytest

from lifecycle.input.manifest_admission import list_problems
from tests.texts import read_text

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec: {spec}
"""


def refuse(text):
    reading = read_text(text)
    return [*reading.report.refused, *(one for each in reading.documents for one in list_problems(each))]


@pytest.mark.parametrize(
    "manifest, said",
    [
        pytest.param(
            "{apiVersion: v1, kind: Pod, metadata: {name: '${NAME}-web'},"
            " spec: {containers: [{name: a, image: b}]}}",
            'metadata.name: Invalid value: "${NAME}-web"; looks like a placeholder: `${NAME}`;'
            " put the value in its place first",
            id="a variable of a shell",
        ),
        pytest.param(
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: '{{ ns }}'}}",
            'metadata.namespace: Invalid value: "{{ ns }}"; looks like a placeholder: `{{ ns }}`;'
            " put the value in its place first",
            id="a template",
        ),
        pytest.param(
            DEPLOYMENT.format(spec="{replicas: '${REPLICAS}'}"),
            'spec.replicas: must be a whole number, not the text "${REPLICAS}"; looks like a placeholder:'
            " `${REPLICAS}`; put the value in its place first",
            id="of another type",
        ),
    ],
)
def test_a_placeholder_is_named_instead_of_the_rules_of_names(manifest, said):
    (problem,) = refuse(manifest)
    assert str(problem).endswith(said)


def test_what_may_be_a_name_keeps_the_rule_it_breaks():
    (problem,) = refuse("{apiVersion: v1, kind: ConfigMap, metadata: {name: PROJECT_ID-web}}")
    assert "a lowercase RFC 1123 subdomain must consist of" in problem.message
    assert problem.remedy == "looks like a placeholder: `PROJECT_ID`"


def test_an_ordinary_mistake_gets_no_hint():
    (problem,) = refuse("{apiVersion: v1, kind: ConfigMap, metadata: {name: Web}}")
    assert problem.remedy == ""


def test_a_part_of_a_workload_is_taken_for_a_patch_in_one_line():
    spec = "{template: {spec: {containers: [{name: web, resources: {}}]}}}"
    (problem,) = refuse(DEPLOYMENT.format(spec=spec))
    assert "spec.selector" in problem.message
    assert "spec.template.spec.containers[0].image" in problem.message
    assert problem.remedy.startswith("is this a kustomize patch? Run `kubectl kustomize`")
    (problem,) = refuse(DEPLOYMENT.format(spec="{replicas: 9}"))
    assert problem.remedy.startswith("is this a kustomize patch?")
    (problem,) = refuse(DEPLOYMENT.format(spec="{template: {spec: {$patch: replace}}}"))
    assert problem.remedy.startswith("is this a kustomize patch?")


def test_a_workload_that_lacks_a_line_is_no_patch():
    problems = refuse(DEPLOYMENT.format(spec="{template: {spec: {containers: [{name: a, image: b}]}}}"))
    assert problems[0].path == "spec.selector"
    assert not any("kustomize" in problem.remedy for problem in problems)
    spec = "{selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: []}}}"
    (problem,) = refuse(DEPLOYMENT.format(spec=spec))
    assert (problem.path, problem.remedy) == ("spec.template.spec.containers", "")


@pytest.mark.parametrize(
    "head, remedy",
    [
        ("{apiVersion: v1, kind: Policy}", "Kubernetes v1.36 has no such kind"),
        (
            "{apiVersion: admissionregistration.k8s.io/v1alpha1, kind: InitializerConfiguration}",
            "Kubernetes v1.36 has no such kind",
        ),
        ("{apiVersion: apps/v1, kind: Deploymnt}", "did you mean Deployment?"),
        ("{apiVersion: v1, kind: Deploymnt}", "did you mean Deployment?"),
        ("{apiVersion: v1, kind: ConfgMap}", "did you mean ConfigMap?"),
    ],
)
def test_another_kind_is_suggested_only_where_it_may_be_meant(head, remedy):
    (problem,) = refuse(head)
    assert problem.remedy == remedy
