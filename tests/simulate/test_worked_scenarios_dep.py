"""Every worked scenario of Deployments stands in the gallery, with claims of its own."""

import pytest
import yaml

from lifecycle.simulation.stories import find_story, list_stories

# Names of scenarios, or why there can be none.
WORKED = [
    ("SC-DEP-01", ["sc-dep-01-created"]),
    ("SC-DEP-02", ["nginx-rolling-update", "sc-dep-02-new-image"]),
    ("SC-DEP-03", ["sc-dep-03-four-replicas"]),
    ("SC-DEP-04", ["sc-dep-04-rollover"]),
    ("SC-DEP-05", ["sc-dep-05-stuck-middle"]),
    ("SC-DEP-06", ["sc-dep-06-bad-image"]),
    ("SC-DEP-07", ["sc-dep-07-history"]),
    ("SC-DEP-08", ["sc-dep-08-undo"]),
    ("SC-DEP-09", ["sc-dep-09-undo-to-first", "sc-dep-09-undo-to-second"]),
    ("SC-DEP-10", ["sc-dep-10-scaled"]),
    ("SC-DEP-11", ["sc-dep-11-autoscaled"]),
    ("SC-DEP-12", ["sc-dep-12-proportional"]),
    ("SC-DEP-13", ["sc-dep-13-shrunk", "sc-dep-13-to-zero"]),
    ("SC-DEP-14", ["sc-dep-14-heals"]),
    ("SC-DEP-15", ["sc-dep-15-paused"]),
    ("SC-DEP-16", ["sc-dep-16-paused-midway"]),
    ("SC-DEP-17", ["sc-dep-17-later-trouble"]),
    ("SC-DEP-18", ["sc-dep-18-deadline"]),
    ("SC-DEP-19", ["quota-blocks-rollout", "sc-dep-19-another-makes-room", "sc-dep-19-scaled-down"]),
    ("SC-DEP-20", ["quota-refuses-replica-set"]),
    (
        "SC-DEP-21",
        [
            "sc-dep-21-crash-loop",
            "sc-dep-21-image-pull",
            "sc-dep-21-limit-range",
            "sc-dep-21-quota",
            "sc-dep-21-readiness-probe",
            "sc-dep-21-service-account",
        ],
    ),
    ("SC-DEP-22", ["sc-dep-22-mended", "sc-dep-22-scaled", "sc-dep-22-undone"]),
    (
        "SC-DEP-23",
        ["sc-dep-23-none-kept", "sc-dep-23-stuck", "sc-dep-23-ten-kept", "sc-dep-23-two-kept"],
    ),
    ("SC-DEP-24", ["sc-dep-24-recreate"]),
    (
        "SC-DEP-25",
        [
            "sc-dep-25-no-surge",
            "sc-dep-25-surge",
            "sc-dep-25-surge-and-unavailable",
            "sc-dep-25-unavailable",
        ],
    ),
    ("SC-DEP-26", ["sc-dep-26-surge", "sc-dep-26-unavailable"]),
    ("SC-DEP-27", ["sc-dep-27-validation"]),
    ("SC-DEP-28", ["sc-dep-28-applied-again", "sc-dep-28-without-replicas"]),
    ("SC-DEP-29", ["sc-dep-29-key-added", "sc-dep-29-key-removed", "sc-dep-29-value-changed"]),
    ("SC-DEP-30", ["sc-dep-30-crash-delays", "sc-dep-30-min-ready-seconds"]),
    ("SC-DEP-31", ["sc-dep-31-canary"]),
    ("SC-DEP-32", ["sc-dep-32-surplus-and-foreign"]),
    ("SC-WL-01", ["sc-wl-01-three-kinds"]),
]
NAMES = [name for _, shown in WORKED if isinstance(shown, list) for name in shown]


def test_each_worked_scenario_stands_here_once():
    assert [key for key, _ in WORKED] == [*(f"SC-DEP-{number:02}" for number in range(1, 33)), "SC-WL-01"]
    assert all(shown for _, shown in WORKED)
    assert len(set(NAMES)) == len(NAMES)


def test_each_file_named_after_a_worked_scenario_stands_here():
    files = {name for name in list_stories() if name.startswith(("sc-dep-", "sc-wl-"))}
    assert files <= set(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_its_scenario_claims_something(name):
    documents = list(yaml.safe_load_all(find_story(name).read_text()))
    (scenario,) = [one for one in documents if one["kind"] == "Scenario"]
    assert scenario["metadata"]["name"] == name
    assert scenario["spec"]["expect"]
