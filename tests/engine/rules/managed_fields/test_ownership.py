"""What writes do to managers. Expectations are recorded answers of a server, and outcomes of its tests."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.managed_fields.managers import (
    APPLY,
    UPDATE,
    Manager,
    Managers,
    Share,
    cap_updaters,
    is_reset,
    make_manager,
    read_managers,
    write_managers,
)
from lifecycle.engine.rules.managed_fields.ownership import (
    after_apply,
    after_update,
    describe_conflicts,
    find_conflicts,
    list_causes,
)
from lifecycle.engine.rules.managed_fields.paths import Comparison, FieldSet, path_to

NOW = "2026-01-01T00:00:09Z"
ONE, TWO = make_manager("one", APPLY, "v1", ""), make_manager("two", APPLY, "v1", "")
HAND = make_manager("hand", UPDATE, "v1", "")
HPA = make_manager("hpa", UPDATE, "apps/v1", "scale")


def keys(*names: str) -> FieldSet:
    return frozenset(path_to("data", name) for name in names)


def shared(**by_name: FieldSet) -> Managers:
    managers = {"one": ONE, "two": TWO, "hand": HAND}
    return {managers[name]: Share(fields, "v1", "then") for name, fields in by_name.items()}


def owned(managers: Managers) -> dict[str, FieldSet]:
    return {manager.name: share.fields for manager, share in managers.items()}


@pytest.mark.parametrize(
    "before, change, after",
    [
        pytest.param({}, Comparison(added=keys("a")), {"hand": keys("a")}, id="a first write"),
        pytest.param(
            {"one": keys("a", "b")},
            Comparison(modified=keys("a")),
            {"one": keys("b"), "hand": keys("a")},
            id="what it changes it takes",
        ),
        pytest.param(
            {"one": keys("a", "b"), "two": keys("a")},
            Comparison(removed=keys("a")),
            {"one": keys("b")},
            id="what is gone nobody has",
        ),
        pytest.param(
            {"hand": keys("a")},
            Comparison(added=keys("b")),
            {"hand": keys("a", "b")},
            id="it keeps what it had",
        ),
        pytest.param({"one": keys("a")}, Comparison(), {"one": keys("a")}, id="nothing written, no manager"),
        pytest.param(
            {},
            Comparison(added=frozenset((path_to("metadata", "name"), path_to("kind")))),
            {},
            id="names are nobody's",
        ),
    ],
)
def test_an_update_takes_what_it_changes(before: Any, change: Comparison, after: Any) -> None:
    assert owned(after_update(shared(**before), change, HAND, "v1", NOW)) == after


def test_only_a_writer_has_another_time() -> None:
    managers = shared(one=keys("a"), hand=keys("b"))
    untouched = after_update(managers, Comparison(), HAND, "v1", NOW)
    assert {share.time for share in untouched.values()} == {"then"}
    changed = after_update(managers, Comparison(modified=keys("b")), HAND, "v1", NOW)
    assert (changed[ONE].time, changed[HAND].time) == ("then", NOW)


def test_an_apply_shares_what_is_the_same_and_has_no_time_until_it_changes_something() -> None:
    after = after_apply(shared(one=keys("k", "x")), Comparison(), TWO, Share(keys("k"), "v1", NOW), False)
    assert owned(after) == {"one": keys("k", "x"), "two": keys("k")}
    assert (after[ONE].time, after[TWO].time) == ("then", "")


def test_a_forced_apply_takes_from_all_others() -> None:
    change = Comparison(modified=keys("k"))
    after = after_apply(
        shared(one=keys("k", "x"), hand=keys("k")), change, TWO, Share(keys("k"), "v1", NOW), True
    )
    assert owned(after) == {"one": keys("x"), "two": keys("k")}
    assert after[TWO].time == NOW


def test_who_states_nothing_any_more_is_no_manager() -> None:
    after = after_apply(shared(one=keys("k")), Comparison(), ONE, Share(frozenset(), "v1", NOW), False)
    assert after == {}


@pytest.mark.parametrize(
    "managers, change, message",
    [
        pytest.param(
            shared(one=keys("k")),
            Comparison(modified=keys("k")),
            'Apply failed with 1 conflict: conflict with "one": .data.k',
            id="with one who applies",
        ),
        pytest.param(
            shared(hand=keys("k")),
            Comparison(modified=keys("k")),
            'Apply failed with 1 conflict: conflict with "hand" using v1: .data.k',
            id="with one who updates",
        ),
        pytest.param(
            {HPA: Share(frozenset((path_to("spec", "replicas"),)), "apps/v1")},
            Comparison(modified=frozenset((path_to("spec", "replicas"),))),
            'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1:'
            " .spec.replicas",
            id="with a subresource",
        ),
        pytest.param(
            shared(one=keys("k", "x"), hand=keys("k")),
            Comparison(modified=keys("k", "x")),
            'Apply failed with 3 conflicts: conflicts with "hand" using v1:\n- .data.k\nconflicts with "one":'
            "\n- .data.k\n- .data.x",
            id="with several",
        ),
    ],
)
def test_conflicts_are_told_as_the_server_tells_them(
    managers: Managers, change: Comparison, message: str
) -> None:
    conflicts = find_conflicts(managers, change, TWO)
    assert describe_conflicts(managers, conflicts) == message
    causes = list_causes(managers, conflicts)
    assert {one["reason"] for one in causes} == {"FieldManagerConflict"} and len(causes) == len(conflicts)


def test_no_conflict_is_with_oneself_nor_of_what_only_goes() -> None:
    managers = shared(one=keys("k"), two=keys("k"))
    assert find_conflicts(managers, Comparison(removed=keys("k")), TWO) == []
    assert [manager for manager, _path in find_conflicts(managers, Comparison(modified=keys("k")), TWO)] == [
        ONE
    ]


# --- entries ----------------------------------------------------------------------------------------------


def make_entry(name: str, time: str = "", **fields: Any) -> dict[str, Any]:
    entry = {"manager": name, "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}
    entry["fieldsV1"] = {"f:data": {f"f:{name}": {}}}  # type: ignore[assignment]
    return {**entry, **({"time": time} if time else {}), **fields}


def test_entries_are_ordered_by_operation_time_and_name() -> None:
    entries = [
        make_entry("z", operation="Apply", time="2026-01-01T00:00:02Z"),
        make_entry("b"),
        make_entry("a", time="2026-01-01T00:00:01Z"),
        make_entry("c", time="2026-01-01T00:00:01Z"),
        make_entry("c", time="2026-01-01T00:00:01Z", subresource="status"),
    ]
    assert write_managers(read_managers(list(reversed(entries)))) == entries


def test_one_who_applies_is_the_same_in_every_version() -> None:
    assert make_manager("m", APPLY, "apps/v1", "") == make_manager("m", APPLY, "apps/v1beta1", "")
    assert make_manager("m", UPDATE, "apps/v1", "") != make_manager("m", UPDATE, "apps/v1beta1", "")
    assert make_manager("", UPDATE, "v1", "").name == "unknown"


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"operation": "Delete"}, id="operation"),
        pytest.param({"apiVersion": ""}, id="version"),
        pytest.param({"fieldsType": "FieldsV2"}, id="type"),
        pytest.param({"fieldsV1": {"x": {}}}, id="fields"),
        pytest.param({"fieldsV1": 5}, id="no fields"),
    ],
)
def test_what_is_no_entry_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        read_managers([make_entry("a", **entry)])


@pytest.mark.parametrize("entries, is_one", [([], True), ([{}], True), (None, False), ([{}, {}], False)])
def test_a_client_resets_managers_by_an_empty_list_or_entry(entries: Any, is_one: bool) -> None:
    assert is_reset(entries) == is_one


def test_beyond_ten_updaters_the_oldest_become_one() -> None:
    managers = {
        Manager(f"m{number:02}", UPDATE, "v1", ""): Share(
            keys(f"k{number}"), "v1", f"2026-01-01T00:00:{number:02}Z"
        )
        for number in range(12)
    }
    capped = cap_updaters({**managers, ONE: Share(keys("a"), "v1")})
    names = sorted(manager.name for manager in capped if manager.operation == UPDATE)
    assert names == ["ancient-changes", *(f"m{number:02}" for number in range(3, 12))]
    ancient = capped[Manager("ancient-changes", UPDATE, "v1", "")]
    assert ancient == Share(keys("k0", "k1", "k2"), "v1", "2026-01-01T00:00:02Z")
    assert capped[ONE].fields == keys("a")


def test_the_oldest_of_different_versions_stay_apart() -> None:
    versions = ["v1", "v2", "v1", *["v3"] * 9]
    managers = {
        Manager(f"m{number:02}", UPDATE, version, ""): Share(
            keys(f"k{number}"), version, f"2026-01-01T00:00:{number:02}Z"
        )
        for number, version in enumerate(versions)
    }
    capped = cap_updaters(managers)
    ancient = {
        manager.api_version: share.fields
        for manager, share in capped.items()
        if manager.name == "ancient-changes"
    }
    assert ancient == {"v1": keys("k0", "k2"), "v3": keys("k3", "k4")}
    assert len(capped) == 10
