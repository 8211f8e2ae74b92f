"""Settings fail loudly: what nobody would act on is refused by name."""

import pytest

from lifecycle.engine.heart.settings import Settings


@pytest.mark.parametrize(
    "given, complaint",
    [
        pytest.param(
            {"feature_gates": {"SidecarContainer": True}},
            "unrecognized feature gate 'SidecarContainer'; did you mean SidecarContainers?",
            id="a gate that does not exist",
        ),
        pytest.param(
            {"feature_gates": {"SidecarContainers": "yes"}},
            "feature gate SidecarContainers: 'yes' is neither true nor false",
            id="a gate that is no bool",
        ),
        pytest.param(
            {"feature_gates": {"GangScheduling": True}},
            "feature gate GangScheduling is not modelled; leave it at false, its default",
            id="a gate that nobody acts on",
        ),
        pytest.param(
            {"controller_manager": {"scalingEventsNameFormrSize": True}},
            "unknown setting 'scalingEventsNameFormrSize'; there are",
            id="a setting of the manager that does not exist",
        ),
        pytest.param(
            {"controller_manager": {"terminatedPodGCThreshold": True}},
            "terminatedPodGCThreshold: True is not of the kind of its default, 12500",
            id="a threshold that is no number",
        ),
        pytest.param(
            {"controller_manager": {"timeZone": "Mars/Olympus"}},
            "timeZone: 'Mars/Olympus' is none; write for example Europe/Berlin",
            id="a time zone that does not exist",
        ),
        pytest.param(
            {"controller_manager": {"ttlAfterFinishedClockOffset": "-soon"}},
            "ttlAfterFinishedClockOffset: 'soon' is not a duration; write for example 3s, 250ms or 1m30s",
            id="an offset that is no duration",
        ),
    ],
)
def test_what_nobody_would_act_on_is_refused(given: dict, complaint: str):
    with pytest.raises(ValueError) as caught:
        Settings(**given)
    assert str(caught.value).startswith(complaint)


def test_a_gate_that_only_kubernetes_knows_may_stand_as_it_is():
    assert "GangScheduling" in Settings(feature_gates={"GangScheduling": False}).feature_gates


def test_a_saved_cluster_keeps_what_this_version_knows():
    saved = {"featureGates": {"GoneLongAgo": True, "MemoryQoS": True}, "controllerManager": {"gone": 1}}
    settings = Settings.from_saved(saved)
    assert (settings.feature_gates["MemoryQoS"], "GoneLongAgo" in settings.feature_gates) == (True, False)
    assert settings.controller_manager == {}
