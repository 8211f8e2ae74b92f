"""Own ordeals: what is wrong with one is said with its file, its field and what would be right."""

from types import SimpleNamespace

import jsonschema
import pytest
import yaml

from lifecycle.check.claims import CLAIMS
from lifecycle.check.ordeal_files import (
    ORDER,
    choose_ordeals,
    is_ordeal,
    list_ordeals,
    read_ordeal,
    read_ordeals,
)
from lifecycle.check.ordeal_schema import make_ordeal_schema
from lifecycle.check.trials import list_trials
from lifecycle.input.manifests import Document, read_documents
from lifecycle.input.problems import ManifestError

CRASH = {"at": "0s", "fault": {"node": "${node}", "kind": "crash"}}


def make(kind="Ordeal", name="ours", **spec):
    meta = {"name": name} if name else {}
    return {
        "apiVersion": "podline.dev/v1alpha1",
        "kind": kind,
        "metadata": meta,
        "spec": {"steps": [CRASH], **spec},
    }


def refuse(data, settled=None):
    with pytest.raises(ManifestError) as raised:
        ordeal = read_ordeal(Document(data, 1, "ours.yaml"))
        list_trials(settled, [ordeal])
    return "\n".join(map(str, raised.value.problems))


def test_all_names_of_the_contract_are_there_and_each_has_its_text_and_source():
    found = list_ordeals()
    assert [one.name for one in found] == ORDER
    assert [one.name for one in found if not (one.text and one.source)] == []


@pytest.mark.parametrize(
    "data, expected",
    [
        pytest.param(make(name=""), "metadata.name: an ordeal needs a name", id="no name"),
        pytest.param(make(steps=None), "spec.steps: an ordeal needs steps", id="no steps"),
        pytest.param(make(each="pod"), "spec.each: must be one of workload", id="each"),
        pytest.param(
            make(leaves="bad"), 'spec.leaves: must be one of whole, broken, not the text "bad"', id="leaves"
        ),
        pytest.param(make(within="soon"), "spec.within: must be a duration", id="within"),
        pytest.param(make(within="${run}"), "spec.within: must be a duration", id="within is no hole"),
        pytest.param(
            make(claims=["fast"]), "spec.claims[0]: must be one of rollout-keeps-its-budget", id="a claim"
        ),
        pytest.param(make(claims="fast"), "spec.claims: has the wrong type", id="claims"),
        pytest.param(make(needs=["pods"]), "spec.needs[0]: must be one of workloads", id="needs"),
        pytest.param(
            make(colour="red"), 'spec.colour: unknown field "colour"; fields here are: text', id="a field"
        ),
        pytest.param(make("Scenario", seed=3), 'spec.seed: unknown field "seed"', id="a field of a Scenario"),
        pytest.param(
            make(image={"ready": "soon"}), "spec.image.ready: must be never", id="an image's readiness"
        ),
        pytest.param(
            make(image={"listens": {"later": "soon"}}),
            "spec.image.listens.later: must be a duration",
            id="later",
        ),
        pytest.param(make(image={"runs": 3}), "spec.image.runs: 3", id="a part of an image"),
        pytest.param(
            make(variants=[{"image": {"colour": 1}}]), "spec.variants[0].image", id="an image of a variant"
        ),
        pytest.param(make(steps=["crash"]), "spec.steps[0]: a step is a mapping", id="a step"),
        pytest.param(
            make(steps=[{**CRASH, "forEach": "pods"}]),
            "spec.steps[0].forEach: must be one of workloads",
            id="a list",
        ),
        pytest.param(make(variants=["a"]), "spec.variants[0]: must be a mapping", id="a variant"),
        pytest.param(
            make(variants=[{"each": "node"}]), "spec.variants[0].each: unknown field", id="its field"
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(data, expected):
    said = refuse(data)
    assert expected in said.replace("'", '"')
    assert said.startswith("ours.yaml")


def make_settled():
    node = {"metadata": {"name": "a"}}
    pod = {"metadata": {"uid": "p"}, "spec": {"nodeName": "a"}}
    workload = SimpleNamespace(pods=("p",), kind="Deployment", title="Deployment/shop/web", containers=())
    return SimpleNamespace(nodes=[node], zones=[], workloads=[workload], pods=[pod], services=[])


@pytest.mark.parametrize(
    "step, expected",
    [
        pytest.param(
            {"at": "0s", "fault": {"node": "${nod}", "kind": "crash"}},
            "ours.yaml: Ordeal ours: spec.steps: nothing fills ${nod} here; there are ${node}",
            id="a hole",
        ),
        pytest.param(
            {**CRASH, "forEach": "zoneNodes"},
            "spec.steps: there is no list zoneNodes here; there are fillers",
            id="a list",
        ),
        pytest.param(
            {"at": "0s", "fault": {"node": "${node}", "kind": "flood"}},
            "ours.yaml: Ordeal ours: spec.steps[0].fault.kind: must be one of crash",
            id="a step that none is",
        ),
    ],
)
def test_what_only_a_target_shows_is_said_with_the_ordeal(step, expected):
    assert expected in refuse(make(each="node", steps=[step]), make_settled())


def test_a_scenario_with_holes_is_an_ordeal():
    data = make("Scenario", description="a node is lost", expect=[{"always": "deployment/web exists"}])
    document = Document(data)
    assert is_ordeal(document)
    found = read_ordeal(document)
    assert (found.text, found.each, len(found.expects)) == ("a node is lost", "node", 1)


def test_a_scenario_without_holes_is_none():
    step = {"at": "0s", "fault": {"node": "node-1", "kind": "crash"}}
    assert not is_ordeal(Document(make("Scenario", steps=[step])))


def test_own_ordeals_are_chosen_by_their_file_and_take_the_place_of_those_of_their_name(tmp_path):
    path = tmp_path / "ours.yaml"
    path.write_text(yaml.safe_dump(make(name="ours")))
    assert [one.name for one in choose_ordeals(list_ordeals(), f"node-crash,{path}")] == [
        "node-crash",
        "ours",
    ]
    own = read_ordeal(Document(make(name="node-crash", text="our own")))
    chosen = choose_ordeals([*list_ordeals(), own], None)
    assert [one.text for one in chosen if one.name == "node-crash"] == ["our own"]


@pytest.mark.parametrize(
    "wanted, text, expected",
    [
        pytest.param(
            "node-cras", None, "no ordeal is called node-cras; there are rollout-healthy", id="a name"
        ),
        pytest.param("none.yaml", None, "cannot be read: No such file", id="no file"),
        pytest.param(
            "ours.yaml",
            "kind: Pod\napiVersion: v1\n",
            "ours.yaml: holds no ordeal; an object of",
            id="none in it",
        ),
    ],
)
def test_a_choice_that_is_none_is_refused(tmp_path, monkeypatch, wanted, text, expected):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / wanted).write_text(text)
    with pytest.raises(ManifestError) as raised:
        choose_ordeals(list_ordeals(), wanted)
    assert expected in str(raised.value)


def test_a_variant_says_in_place_of_the_ordeal():
    data = make(
        of=["Deployment"],
        lasts="1m",
        variants=[{"name": "a"}, {"name": "b", "lasts": "2m", "steps": [CRASH, CRASH]}],
    )
    found = read_ordeal(Document(data)).variants
    assert [(one.name, one.lasts, len(one.steps)) for one in found] == [("a", "1m", 1), ("b", "2m", 2)]


@pytest.mark.slow
def test_the_schema_takes_every_ordeal_that_comes_with_podline_and_no_other_field():
    from importlib.resources import files

    schema = make_ordeal_schema()
    paths = (files("lifecycle.check") / "library").rglob("*.yaml")
    documents = [one.data for path in paths for one in read_documents(path.read_text())]
    assert len(documents) == len(ORDER)
    for one in documents:
        jsonschema.validate(one, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(make(colour="red"), schema)


def test_an_ordeal_may_spare_every_claim():
    ordeals = read_ordeals(yaml.safe_dump(make(spares=list(CLAIMS))), "ours.yaml")
    assert ordeals[0].spares == tuple(CLAIMS)
