"""Files that the kubelet and the container runtime put into every container of a pod."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lifecycle.userland.world import PodFacts

from ..objects.names import ACCESS_FOLDER
from ..rules.pods.host_names import CLUSTER_DOMAIN, Resolver, decide_resolver

_HOSTS = (
    "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
    "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"
)


def make_runtime_files(
    pod: PodFacts,
    resolver: Resolver | None = None,
    aliases: Iterable[Mapping[str, Any]] = (),
    has_token: bool = True,
) -> dict[str, str]:
    """Text by absolute path: names and resolver of the pod, and its service account's token if it has one."""
    asks = resolver or decide_resolver({}, pod.namespace, CLUSTER_DOMAIN)
    short = pod.host.partition(".")[0]
    names = short if pod.full_host == short else f"{pod.full_host}\t{short}"
    files = {
        "/etc/hostname": f"{pod.host}\n",
        "/etc/hosts": f"{_HOSTS}{pod.ip}\t{names}\n{_alias_lines(aliases)}",
        "/etc/resolv.conf": _resolver_text(asks),
    }
    token = {
        f"{ACCESS_FOLDER}/namespace": pod.namespace,
        f"{ACCESS_FOLDER}/token": f"token-of-{pod.uid}",
        f"{ACCESS_FOLDER}/ca.crt": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    }
    return files | token if has_token else files


def _alias_lines(aliases: Iterable[Mapping[str, Any]]) -> str:
    lines = ["\t".join((one.get("ip", ""), *(one.get("hostnames") or ()))) for one in aliases]
    return "".join(f"{line}\n" for line in ["", "# Entries added by HostAliases.", *lines]) if lines else ""


def _resolver_text(resolver: Resolver) -> str:
    lines = [f"search {' '.join(resolver.searches)}"] if resolver.searches else []
    lines += [f"nameserver {server}" for server in resolver.servers]
    if resolver.options:
        lines.append(f"options {' '.join(resolver.options)}")
    return "".join(f"{line}\n" for line in lines)
