"""Objects as kubectl sends them: protobuf in, the JSON that a client would have sent out."""

from __future__ import annotations

import pytest

from lifecycle.engine.objects.wire import Malformed
from lifecycle.kube_api.protobuf.decoding import MAGIC, decode


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def field(number: int, value: int | str | bytes) -> bytes:
    """One field of a message: a number, or a text, or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    text = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(text)) + text


def send(api_version: str, kind: str, *fields: bytes) -> bytes:
    """A whole message."""
    header = field(1, api_version) + field(2, kind)
    return MAGIC + field(1, header) + field(2, b"".join(fields)) + field(3, "") + field(4, "")


def meta(name: str) -> bytes:
    """ObjectMeta as Go writes it: what is empty is there."""
    parts = [field(1, name), field(2, ""), field(3, ""), field(5, ""), field(7, 0), field(8, b"")]
    return field(1, b"".join([*parts, field(11, field(1, "app") + field(2, "web"))]))


META = {"name": "web", "labels": {"app": "web"}}


def test_a_deployment():
    port = field(1, "") + field(2, 0) + field(3, 80) + field(4, "TCP") + field(5, "")
    limits = field(1, field(1, "cpu") + field(2, field(1, "100m")))
    probe = field(1, field(2, field(1, "/") + field(2, field(1, 0) + field(2, 8080) + field(3, ""))))
    container = b"".join(
        [field(1, "app"), field(2, "nginx"), field(6, port), field(8, limits), field(11, probe + field(2, 0))]
    )
    source = field(2, field(1, "") + field(2, field(1, "1Gi")))
    spec = field(1, field(1, "tmp") + field(2, source)) + field(2, container) + field(4, 0)
    strategy = field(4, field(1, "") + field(2, field(1, field(1, 1) + field(2, 0) + field(3, "25%"))))
    body = field(
        2, field(1, 0) + field(3, field(1, b"") + field(2, spec)) + strategy + field(5, 0) + field(7, 0)
    )
    assert decode(send("apps/v1", "Deployment", meta("web"), body)) == {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": META,
        "spec": {
            # A pointer that was sent is set, also to 0.
            "replicas": 0,
            "template": {
                "metadata": {},
                "spec": {
                    "volumes": [{"name": "tmp", "emptyDir": {"sizeLimit": "1Gi"}}],
                    "containers": [
                        {
                            "name": "app",
                            "image": "nginx",
                            "ports": [{"containerPort": 80, "protocol": "TCP"}],
                            "resources": {"limits": {"cpu": "100m"}},
                            "readinessProbe": {"httpGet": {"path": "/", "port": 8080}},
                        }
                    ],
                    "terminationGracePeriodSeconds": 0,
                },
            },
            "strategy": {"rollingUpdate": {"maxUnavailable": "25%"}},
        },
    }


def test_bytes_times_and_maps():
    data = field(2, field(1, "k") + field(2, b"\x00\xff"))
    stamp = field(1, field(1, "s") + field(8, field(1, 1_767_225_600) + field(2, 0)))
    assert decode(send("v1", "Secret", stamp, data, field(3, "Opaque"))) == {
        "kind": "Secret",
        "apiVersion": "v1",
        "metadata": {"name": "s", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "data": {"k": "AP8="},
        "type": "Opaque",
    }


def test_options_of_a_deletion_are_of_any_group():
    options = send("apps/v1", "DeleteOptions", field(1, 0), field(4, "Orphan"), field(5, "All"))
    assert decode(options) == {
        "kind": "DeleteOptions",
        "apiVersion": "apps/v1",
        "gracePeriodSeconds": 0,
        "propagationPolicy": "Orphan",
        "dryRun": ["All"],
    }


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        MAGIC + b"\xff",
        MAGIC + b"\xff" * 20,
        MAGIC + field(1, 7),
        MAGIC + field(1, field(1, "v1") + field(2, "Nonsense")),
        send("v1", "Pod", b"\x0f"),
        send("v1", "Pod", field(1, b"\x0a\x7f")),
        send("v1", "Pod", field(1, 5)),
        send("v1", "Event", field(6, field(1, 1 << 62))),
        send("apps/v1", "Deployment", field(2, field(5, "text"))),
    ],
)
def test_what_is_no_such_message_is_refused(text):
    with pytest.raises(Malformed):
        decode(text)


def test_every_prefix_of_a_message_is_read_or_refused():
    whole = send("v1", "Pod", meta("web"), field(2, field(2, field(1, "app") + field(2, "nginx"))))
    for end in range(len(whole)):
        try:
            decode(whole[:end])
        except Malformed:
            continue
