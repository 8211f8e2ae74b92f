"""Discovery, columns and OpenAPI of each release, against what a real API server of it serves."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lifecycle.engine.releases.known import find_release
from lifecycle.engine.rules.columns.column import add_name
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.describing.discovery import _entries
from lifecycle.kube_api.describing.openapi import make_v2
from lifecycle.kube_api.printing.tables import define_columns

Json = dict[str, Any]
RELEASES = ("v1.34", "v1.35", "v1.36")
# What is answered and never kept is said to take any field; of DeleteOptions other groups are told too.
NOT_DESCRIBED = ("Review", ".ComponentStatus", ".DeleteOptions")
# What no client goes by: unions, and who owns what inside a mapping of plain values or bytes.
NOT_TOLD = ("x-kubernetes-unions", "x-kubernetes-map-type", "description")
SAID_OTHERWISE = {
    ("CertificateSigningRequestSpec", "extra"),
    ("CertificateSigningRequestSpec", "request"),
    ("CertificateSigningRequestStatus", "certificate"),
    ("PersistentVolumeClaimStatus", "allocatedResourceStatuses"),
    ("Status", "details"),
    ("APIServiceSpec", "caBundle"),
}


@cache
def read_facts(release: str) -> Json:
    file = Path(__file__).parent / "facts" / f"{release}.json.gz"
    facts: Json = json.loads(gzip.decompress(file.read_bytes()))
    return facts


def by_name(entries: list[Json]) -> Json:
    """The resources of a group version; two may have one name only by mistake."""
    assert len({one["name"] for one in entries}) == len(entries)
    return {one["name"]: one for one in sorted(entries, key=lambda one: one["name"])}


@pytest.mark.parametrize("release", RELEASES)
def test_discovery_tells_what_a_real_server_of_the_release_tells(release: str) -> None:
    for version, wanted in read_facts(release)["resources"].items():
        known = list_built_in(find_release(release)).values()
        told = [entry for one in known if one.api_version == version for entry in _entries(one)]
        assert (version, by_name(told)) == (version, by_name(wanted))


@pytest.mark.parametrize("release", RELEASES)
def test_tables_have_the_columns_of_a_real_server_of_the_release(release: str) -> None:
    known = list_built_in(find_release(release))
    wanted = read_facts(release)["columns"]
    shown = {}
    for path in wanted:
        group, version, name = ["", *path.split("/")][-3:]
        columns = define_columns(add_name(known[group, version, name].columns))
        shown[path] = [{key: one[key] for key in one if key != "description"} for one in columns]
    assert shown == wanted


def simplify(definition: Json, name: str) -> Json:
    """What of a definition is compared: order says nothing."""
    found = {key: value for key, value in definition.items() if key not in NOT_TOLD}
    if "required" in found:
        found["required"] = sorted(found["required"])
    if "properties" in found:
        short = name.rpartition(".")[2]
        found["properties"] = {
            field: simplify(value, "") if (short, field) not in SAID_OTHERWISE else ""
            for field, value in found["properties"].items()
        }
    for part in ("items", "additionalProperties"):
        if isinstance(found.get(part), dict):
            found[part] = simplify(found[part], "")
    if "enum" in found:
        found["enum"] = sorted(found["enum"])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_definitions_say_what_those_of_a_real_server_of_the_release_say(release: str) -> None:
    told = make_v2([*list_built_in(find_release(release)).values()], find_release(release))["definitions"]
    real = read_facts(release)["definitions"]
    both = sorted(name for name in told.keys() & real.keys() if not name.endswith(NOT_DESCRIBED))
    assert len(both) > 400
    assert {name: simplify(told[name], name) for name in both} == {
        name: simplify(real[name], name) for name in both
    }


@pytest.mark.parametrize(
    "release, type_name, field, is_there",
    [
        pytest.param("v1.34", "PodSpec", "workloadRef", False, id="new in v1.35"),
        pytest.param("v1.35", "PodSpec", "workloadRef", True, id="of v1.35 alone"),
        pytest.param("v1.36", "PodSpec", "workloadRef", False, id="gone in v1.36"),
        pytest.param("v1.35", "PodSpec", "schedulingGroup", False, id="not yet"),
        pytest.param("v1.36", "PodSpec", "schedulingGroup", True, id="new in v1.36"),
        pytest.param("v1.34", "NodeStatus", "declaredFeatures", False, id="a status"),
        pytest.param("v1.36", "NodeStatus", "declaredFeatures", True, id="still there"),
    ],
)
def test_a_releases_tables_have_its_fields(release, type_name, field, is_there) -> None:
    tables = find_release(release).tables
    (fields,) = [one.types[type_name] for one in tables.fields if type_name in one.types]
    assert (field in fields) is is_there
