"""What a pod's page says of what its containers, and it as a whole, are given."""

import pytest

from dashboard.pages.pod.configuration import WHOLE, list_configurations

APP = {"requests": {"cpu": "250m", "memory": "64Mi"}, "limits": {"cpu": "500m", "memory": "128Mi"}}
FIRST = {"requests": {"cpu": "1"}, "limits": {"cpu": "1", "memory": "32Mi"}}


@pytest.mark.spec("INIT-27", "INIT-28", "INIT-31")
def test_the_pod_as_a_whole_shows_its_effective_amounts_and_its_cgroup() -> None:
    spec = {
        "initContainers": [{"name": "first", "image": "i", "resources": FIRST}],
        "containers": [{"name": name, "image": "i", "resources": APP} for name in ("one", "two")],
    }
    *containers, whole = list_configurations({"spec": spec})
    assert [one.container for one in containers] == ["first", "one", "two"]
    assert whole.container == WHOLE
    # CPU: max(1, 250m + 250m); memory: max(0, 64Mi + 64Mi). Limits: max(1, 1) and max(32Mi, 256Mi).
    assert whole.resources == [
        "requests cpu 1, memory 128Mi",
        "limits cpu 1, memory 256Mi",
        "cgroup cpu.shares 1024, cpu.cfs_quota_us 100000, memory.limit_in_bytes 268435456",
    ]


def test_a_pod_that_asks_for_nothing_has_the_least_share() -> None:
    *_, whole = list_configurations({"spec": {"containers": [{"name": "app", "image": "i"}]}})
    assert whole.resources == ["cgroup cpu.shares 2"]
