"""The registry: whole, without doubles, and of one mind with the tables of fields."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from lifecycle.engine.heart.errors import BadRequest
from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.objects.kinds import Kind, kind_for, kind_id, kind_of_id, register_kind
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.releases.known import load_releases
from lifecycle.engine.rules.columns.column import AGE
from lifecycle.engine.schema.tables import is_known_kind

ENTRIES = registry.list_entries()
IDS = [entry.kind.id for entry in ENTRIES]
LATE = re.compile(r'\blate\("([\w.]+)", "(\w+)"\)')


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_an_entry_is_of_one_piece(entry: KindEntry) -> None:
    kind = entry.kind
    assert kind.id == kind.name == kind_for("", kind.name).name
    assert registry.entry_of(kind_for(kind.api_version, kind.name)) is entry
    assert registry.entry_of_json({"apiVersion": kind.api_version, "kind": kind.name}) is entry
    # An add-on's kind comes with its own definition; what the model reads of it is checked by its entry.
    is_checked = entry.is_custom and entry.validate is not None
    served = any(is_known_kind(kind.api_version, kind.name, release) for release in load_releases())
    assert is_checked or served, "its fields are known"
    if entry.typed is not PlainObject:
        assert kind.name == entry.typed.KIND
    if entry.is_workload:
        assert entry.pod_spec_path, "a workload has a template"
        assert entry.describe({}), "and says how it is"
    assert not (entry.rollout and not entry.is_workload)


def test_every_check_that_is_loaded_late_is_there() -> None:
    sources = Path(registry.__file__).parent.glob("*.py")
    named = [found for source in sources for found in LATE.findall(source.read_text())]
    assert len(named) > 30
    for module, name in named:
        assert callable(getattr(import_module(f"lifecycle.engine.rules.validation.{module}"), name))


def test_no_word_means_two_kinds() -> None:
    words = [word for entry in ENTRIES for word in {*entry.kind.words}]
    assert len(words) == len(set(words))


def test_two_kinds_of_one_bare_name_cannot_be_registered() -> None:
    with pytest.raises(AssertionError, match="registered already"):
        register_kind(Kind("batch.volcano.sh/v1alpha1", "Job", "jobs"))


@pytest.mark.parametrize(
    "group, name, expected",
    [
        ("", "Pod", "Pod"),
        ("apps", "Deployment", "Deployment"),
        ("", "Deployment", "Deployment."),
        ("extensions", "Deployment", "Deployment.extensions"),
        ("serving.knative.dev", "Service", "Service.serving.knative.dev"),
        ("networking.istio.io", "Gateway", "Gateway.networking.istio.io"),
        ("", "Binding", "Binding"),
    ],
)
def test_an_id_says_group_and_name(group: str, name: str, expected: str) -> None:
    assert kind_id(group, name) == expected
    found = kind_of_id(expected)
    assert (found.group, found.name, found.id) == (group, name, expected)
    assert kind_for(f"{group}/v1" if group else "v1", name).id == expected


def test_another_version_of_a_registered_kind_is_that_kind() -> None:
    older = kind_for("autoscaling/v1", "HorizontalPodAutoscaler")
    assert (older.id, older.api_version, older.short_names) == (
        "HorizontalPodAutoscaler",
        "autoscaling/v1",
        ("hpa",),
    )


@pytest.mark.parametrize(
    "word, expected",
    [
        ("po", "Pod"),
        ("Deployments", "Deployment"),
        ("deployments.apps", "Deployment"),
        ("deploy.apps", "Deployment"),
        ("Service.serving.knative.dev", "Service.serving.knative.dev"),
        ("services.serving.knative.dev", None),
        ("gateway", None),
    ],
)
def test_people_name_kinds(word: str, expected: str | None) -> None:
    found = registry.find_kind(word)
    assert (found.id if found else None) == expected


def test_a_bare_foreign_name_is_found_among_what_is_stored() -> None:
    stored = ["Pod", "Gateway.networking.istio.io", "Service.serving.knative.dev"]
    assert registry.name_kind({"kind": "Gateway"}, stored).id == "Gateway.networking.istio.io"
    assert registry.name_kind({"kind": "Service"}, stored).id == "Service"
    assert registry.name_kind({"kind": "Other"}, stored).id == "Other"
    with pytest.raises(BadRequest, match="say which by its apiVersion"):
        registry.name_kind({"kind": "Gateway"}, [*stored, "Gateway.gateway.networking.k8s.io"])


def test_a_kind_that_is_not_registered_has_an_entry_that_says_nothing() -> None:
    entry = registry.entry_of_id("Job.batch.volcano.sh")
    assert entry == KindEntry(
        kind=kind_of_id("Job.batch.volcano.sh"), is_passive=True, is_custom=True, columns=(AGE,)
    )
