"""Rendered charts: which hooks run when, and what is said of a rendering for a namespace."""

from __future__ import annotations

import pytest

from lifecycle.input.reading import Batch, read_batches

OBJECT = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, annotations: {helm.sh/hook: '%s'}}}"
PLAIN = "{apiVersion: v1, kind: ConfigMap, metadata: {name: plain}}"


@pytest.mark.parametrize(
    "hook, phase, is_kept",
    [
        pytest.param("pre-install", "install", True, id="before an installation"),
        pytest.param("post-install,post-upgrade", "install", True, id="after both"),
        pytest.param("post-install, post-upgrade", "upgrade", True, id="after both, with a blank"),
        pytest.param("pre-upgrade", "install", False, id="an upgrade's"),
        pytest.param("pre-upgrade", "upgrade", True, id="an upgrade's, in an upgrade"),
        pytest.param("test", "install", False, id="a test"),
        pytest.param("test-success", "upgrade", False, id="a test of older charts"),
        pytest.param("pre-delete,post-delete", "install", False, id="a deletion's"),
        pytest.param("pre-rollback", "upgrade", False, id="a rollback's"),
        pytest.param("pre-install", "none", False, id="none is wanted"),
    ],
)
def test_hooks_of_other_times_are_left_out_and_said(hook: str, phase: str, is_kept: bool) -> None:
    text = "\n---\n".join((OBJECT % ("hook", hook), PLAIN))
    reading = read_batches([Batch({"": text})], hooks=phase)
    names = [document.data["metadata"]["name"] for document in reading.require_sound()]
    assert names == (["hook", "plain"] if is_kept else ["plain"])
    words = ", ".join(sorted(word.strip() for word in hook.split(",")))
    said = (
        f"left out ConfigMap hook ({words}):"
        " of a chart, Helm runs them at other times; `--hooks` says when this is"
    )
    assert reading.report.list_notes() == ([] if is_kept else [said])


def render(name: str, namespace: str, labels: str) -> str:
    place = f", namespace: {namespace}" if namespace else ""
    return f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}{place}, labels: {{{labels}}}}}}}"


HELM = "app.kubernetes.io/managed-by: Helm"


@pytest.mark.parametrize(
    "objects, namespace, expected",
    [
        pytest.param(
            [render("a", "", HELM), render("b", "sentry", HELM), render("c", "sentry", HELM)],
            "",
            ["1 object names no namespace and goes to default, 2 name sentry: did you mean -n sentry?"],
            id="a rendering that falls apart",
        ),
        pytest.param([render("a", "", HELM), render("b", "sentry", HELM)], "sentry", [], id="as it was made"),
        pytest.param(
            [render("a", "", HELM), render("b", "kube-system", HELM)], "", [], id="beside the system"
        ),
        pytest.param([render("a", "", "a: b"), render("b", "sentry", "a: b")], "", [], id="by hand"),
        pytest.param([render("b", "sentry", HELM)], "", [], id="all of them say where"),
    ],
)
def test_a_rendering_for_a_namespace_that_nobody_says_is_told(
    objects: list[str], namespace: str, expected: list[str]
) -> None:
    reading = read_batches([Batch({"": "\n---\n".join(objects)})], namespace=namespace)
    assert reading.report.list_notes() == expected
