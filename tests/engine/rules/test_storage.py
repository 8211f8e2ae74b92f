"""Limits of local storage: who is beyond which, and how much a volume in memory holds."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.rules.volumes.local_storage import (
    decide_memory_volume_size,
    decide_overflow,
    has_storage_limits,
)

MI = 1 << 20


def make_spec(
    *limits: str, init: tuple[str, ...] = (), sidecars: tuple[str, ...] = (), size: str = ""
) -> PodSpec:
    def limited(name: str, amount: str) -> dict[str, Any]:
        return {"name": name, "resources": {"limits": {"ephemeral-storage": amount} if amount else {}}}

    inits = [
        {**limited(f"sidecar-{number}", amount), "restartPolicy": "Always"}
        for number, amount in enumerate(sidecars)
    ]
    inits += [limited(f"init-{number}", amount) for number, amount in enumerate(init)]
    volume = {"name": "cache", "emptyDir": {"sizeLimit": size} if size else {}}
    apps = [limited(f"app-{number}", amount) for number, amount in enumerate(limits)]
    return PodSpec({"containers": apps, "initContainers": inits, "volumes": [volume]})


@pytest.mark.parametrize(
    "spec, in_volume, in_app, expected",
    [
        pytest.param(make_spec("", size="5Mi"), 5 * MI, 0, "", id="at its limit"),
        pytest.param(
            make_spec("", size="5120Ki"),
            5 * MI + 1,
            0,
            'Usage of EmptyDir volume "cache" exceeds the limit "5Mi". ',
            id="beyond it",
        ),
        pytest.param(make_spec("", size="0"), MI, 0, "", id="a limit of nothing is none"),
        pytest.param(
            make_spec("3Mi", "2Mi"),
            3 * MI,
            2 * MI + 1,
            "Pod ephemeral local storage usage exceeds the total limit of containers 5Mi. ",
            id="volumes and containers together",
        ),
        pytest.param(
            make_spec("150Mi", sidecars=("100Mi",), init=("300Mi",)),
            401 * MI,
            0,
            "Pod ephemeral local storage usage exceeds the total limit of containers 400Mi. ",
            id="an init container beside a sidecar",
        ),
        pytest.param(
            make_spec("3Mi", "20Mi"),
            0,
            4 * MI,
            'Container app-0 exceeded its local ephemeral storage limit "3Mi". ',
            id="a container of a pod that is within its limit",
        ),
        pytest.param(make_spec("", ""), 100 * MI, 100 * MI, "", id="no limit at all"),
    ],
)
def test_who_is_beyond_a_limit(spec: PodSpec, in_volume: int, in_app: int, expected: str) -> None:
    assert decide_overflow(spec, {"cache": in_volume}, {"app-0": in_app}) == expected


@pytest.mark.parametrize(
    "spec, expected",
    [
        (make_spec(""), False),
        (make_spec("", size="1Mi"), True),
        (make_spec("1Mi"), True),
        (make_spec("", init=("1Mi",)), True),
    ],
)
def test_most_pods_have_no_limit(spec: PodSpec, expected: bool) -> None:
    assert has_storage_limits(spec) is expected


@pytest.mark.parametrize(
    "size, memory, node_bytes, expected",
    [
        pytest.param("5Mi", "", 100 * MI, 5 * MI, id="its own"),
        pytest.param("5Mi", "3Mi", 100 * MI, 3 * MI, id="the pod's"),
        pytest.param(None, "", 100 * MI, 100 * MI, id="the node's"),
        pytest.param(None, "", 0, 0, id="nothing is known"),
    ],
)
def test_a_volume_in_memory_holds(size: str | None, memory: str, node_bytes: int, expected: int) -> None:
    volume = {"name": "v", "emptyDir": {"medium": "Memory", **({"sizeLimit": size} if size else {})}}
    limits = {"resources": {"limits": {"memory": memory}}} if memory else {}
    spec = PodSpec({"containers": [{"name": "app", **limits}], "volumes": [volume]})
    assert decide_memory_volume_size(volume, spec, node_bytes) == expected
