"""Settings of the kernel that a pod may change, by the kubelet's own list."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.rules.pods.sysctls import find_forbidden_sysctl

UNSAFE = 'forbidden sysctl: "{}" not allowlisted'
HOSTS = 'forbidden sysctl: "{}" not allowed with host {} enabled'


def asked(*names: str, **spec: Any) -> str:
    sysctls = [{"name": name, "value": "1"} for name in names]
    return find_forbidden_sysctl(PodSpec.from_json({"securityContext": {"sysctls": sysctls}, **spec}))


@pytest.mark.parametrize(
    "name",
    [
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ping_group_range",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.tcp_wmem",
        "net/ipv4/tcp_syncookies",
    ],
)
def test_what_touches_no_other_pod_is_allowed(name: str) -> None:
    assert asked(name) == ""


@pytest.mark.parametrize(
    "name, told",
    [
        ("net.core.somaxconn", "net.core.somaxconn"),
        ("kernel.msgmax", "kernel.msgmax"),
        ("net.ipv4.tcp_syncookies2", "net.ipv4.tcp_syncookies2"),
        # A name in slashes is told in dots; a dot in it belongs to a device.
        ("net/core/somaxconn", "net.core.somaxconn"),
        ("net/ipv4/conf/eno2.100/rp_filter", "net.ipv4.conf.eno2/100.rp_filter"),
    ],
)
def test_all_else_is_not(name: str, told: str) -> None:
    assert asked(name) == UNSAFE.format(told)


def test_the_first_that_is_forbidden_is_told() -> None:
    assert asked("net.ipv4.tcp_rmem", "kernel.sem", "kernel.msgmax") == UNSAFE.format("kernel.sem")
    assert asked() == ""


def test_what_a_pod_shares_with_its_host_it_may_not_change() -> None:
    network, memory = "net.ipv4.tcp_syncookies", "kernel.shm_rmid_forced"
    assert asked(network, hostNetwork=True) == HOSTS.format(network, "Net")
    assert asked(memory, hostIPC=True) == HOSTS.format(memory, "IPC")
    assert asked(memory, hostNetwork=True) == asked(network, hostIPC=True) == ""
