"""Hostile objects are refused as others are: in bounded words, after a bounded number of looks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from lifecycle.engine.rules.cel import evaluator
from lifecycle.engine.rules.validation.words.part import Part
from tests.engine.api.desk import Desk, said

Json = dict[str, Any]


def make(kind: str, group: str, **fields: Any) -> Json:
    meta = {"name": "foos.acme.io", "namespace": "default"}
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": meta, **fields}


def make_definition(*versions: Json) -> Json:
    names = {"kind": "Foo", "plural": "foos"}
    spec = {"group": "acme.io", "scope": "Namespaced", "names": names, "versions": list(versions)}
    return make("CustomResourceDefinition", "apiextensions.k8s.io", spec=spec)


def make_version(**schema: Any) -> Json:
    told = {"openAPIV3Schema": {"type": "object", **schema}}
    return {"name": "v1", "served": True, "storage": True, "schema": told}


@pytest.mark.spec("CEL-07")
@pytest.mark.parametrize("name", [{}, {"name": None}, {"name": ""}], ids=["none", "null", "empty"])
def test_a_stored_version_without_a_name_is_refused(name: Json) -> None:
    version = {field: value for field, value in make_version().items() if field != "name"}
    assert "spec.versions[0].name: Invalid value" in said(Desk().create(make_definition(version | name)))


@pytest.mark.parametrize("field", ["capacity", "maximumVolumeSize"])
@pytest.mark.parametrize("amount", ["1e999999999", "-1", "many"])
def test_a_capacity_that_is_no_quantity_is_refused(field: str, amount: str) -> None:
    capacity = make("CSIStorageCapacity", "storage.k8s.io", storageClassName="fast", **{field: amount})
    refused = Desk().create(capacity)
    assert refused.code in (400, 422) and amount in said(refused)


def make_webhooks(path: str, count: int = 1) -> Json:
    client = {"service": {"name": "a", "namespace": "b", "path": path}}
    hook = {"name": "a.b.c", "sideEffects": "None", "admissionReviewVersions": ["v1"], "clientConfig": client}
    hooks = [hook | {"name": f"a{index}.b.c"} for index in range(count)]
    return make("ValidatingWebhookConfiguration", "admissionregistration.k8s.io", webhooks=hooks)


@pytest.mark.spec("CEL-08")
@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param(make_webhooks("/" * 20_000), id="a long value in every error"),
        pytest.param(make_webhooks("/A" * 30_000), id="long words"),
        pytest.param(make_webhooks("x" + "/" * 400, 500), id="many values"),
        pytest.param(make_definition(make_version(), *[{"name": "V" * 500}] * 500), id="versions"),
    ],
)
def test_a_refusal_has_a_length(bomb: Json) -> None:
    refused = Desk().create(bomb)
    causes = (refused.status or {})["details"]["causes"]
    assert refused.code == 422 and said(refused).endswith(", and more]") and len(causes) <= 1_000
    assert max(len(said(refused)), sum(len(one["message"]) for one in causes)) < 300_000


def test_what_nobody_will_be_told_of_is_not_looked_for() -> None:
    looks = iter(range(10_000))
    part = Part({"path": "x"})
    for _ in range(3):
        part.complain("path", (str(look) for look in looks))
    assert (len(part.errors), next(looks)) == (1_003, 1_003)


def test_all_that_a_path_breaks_is_told_as_the_api_server_tells_it() -> None:
    """validation.ValidateWebhookService of apiserver's pkg/util/webhook/validation.go."""
    path = "webhooks[0].clientConfig.service.path"
    words = said(Desk().create(make_webhooks("x//")))
    assert f"{path}: Invalid value: \"x//\": must start with a '/'" in words and "more" not in words


@pytest.mark.spec("CEL-08")
def test_of_a_policy_no_more_than_may_be_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_all = evaluator._try_to_compile.__wrapped__

    def watch(expression: str, names: tuple[str, ...]) -> Any:
        compiled.append(expression)
        return compile_all("true", names)

    monkeypatch.setattr(evaluator, "_try_to_compile", lru_cache(maxsize=1024)(watch))
    doubled = "optional.of(1)" + ".optMap(b,b)" * 4
    validations = [{"expression": f"{doubled}.value() == {number}"} for number in range(200)]
    rule = {name: ["*"] for name in ("apiGroups", "apiVersions", "operations", "resources")}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": validations}
    assert Desk().create(make("ValidatingAdmissionPolicy", "admissionregistration.k8s.io", spec=spec)).ok
    # What is wrong with its syntax, and whether it can be asked, is said by one and the same program.
    assert 0 < sum(len(one) << 4 for one in compiled) <= evaluator.MOST_CHECKED
