"""Label and field selectors as texts: what they mean, and how they are refused."""

from __future__ import annotations

import pytest

from lifecycle.kube_api.asking import field_selectors, label_selectors
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.status import Refusal

PODS = list_built_in()["", "v1", "pods"]
NODES = list_built_in()["", "v1", "nodes"]
WEB = {"app": "web", "tier": "front", "n": "10", "empty": ""}


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", True),
        ("app=web", True),
        ("app==web,tier", True),
        ("app!=web", False),
        ("other!=web", True),
        ("app in (db, web)", True),
        ("app notin (db)", True),
        ("other notin (db)", True),
        ("!app", False),
        ("!other", True),
        ("n>9", True),
        ("n<10", False),
        ("app>1", False),
        ("empty=", True),
        ("empty in ()", True),
        ("empty in (,x)", True),
        ("in=in", False),
        ("app in(web)", True),
    ],
)
def test_labels_meet_a_selector(text: str, expected: bool) -> None:
    assert label_selectors.matches(label_selectors.parse(text), WEB) == expected


@pytest.mark.parametrize(
    "text, said",
    [
        ("app in web", "unable to parse requirement: found 'web' expected: '('"),
        ("app in (web db)", "unable to parse requirement: found 'db', expected: ',' or ')'"),
        ("app,,tier", "found ',', expected: identifier after ','"),
        ("!=x", "found '!=', expected: !, identifier, or 'end of string'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("a=(", "unable to parse requirement: found '(', expected: identifier"),
    ],
)
def test_a_selector_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(Refusal) as problem:
        label_selectors.parse(text)
    assert (problem.value.code, problem.value.message) == (400, said)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("metadata.name=a", True),
        ("metadata.name!=a", False),
        ("status.phase=Running,spec.nodeName=", True),
        ("spec.hostNetwork=false,,", True),
        (r"metadata.name=a\,b", False),
    ],
)
def test_fields_meet_a_selector(text: str, expected: bool) -> None:
    pod = {"metadata": {"name": "a", "namespace": "shop"}, "spec": {}, "status": {"phase": "Running"}}
    assert field_selectors.matches(field_selectors.parse(text, PODS), pod) == expected


@pytest.mark.parametrize(
    "text, said",
    [
        ("spec.image=x", "field label not supported: spec.image"),
        ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        (r"metadata.name=\x", r"invalid field selector: invalid escape sequence: \x"),
        ("metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
    ],
)
def test_a_field_selector_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(Refusal) as problem:
        field_selectors.parse(text, PODS)
    assert (problem.value.code, problem.value.message) == (400, said)


def test_cluster_scoped_kinds_are_found_by_no_namespace() -> None:
    with pytest.raises(Refusal, match="field label not supported"):
        field_selectors.parse("metadata.namespace=x", NODES)
