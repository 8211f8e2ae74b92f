"""Files that the kubelet and the container runtime put into every container of a pod."""

from __future__ import annotations

from lifecycle.userland.world import PodFacts

_SECRET = "/var/run/secrets/kubernetes.io/serviceaccount"


def make_runtime_files(pod: PodFacts) -> dict[str, str]:
    """Text by absolute path: names and resolver of the pod, and its service account's token."""
    return {
        "/etc/hostname": f"{pod.name}\n",
        "/etc/hosts": f"127.0.0.1\tlocalhost\n{pod.ip}\t{pod.name}\n",
        "/etc/resolv.conf": (
            f"search {pod.namespace}.svc.cluster.local svc.cluster.local cluster.local\n"
            "nameserver 10.96.0.10\noptions ndots:5\n"
        ),
        f"{_SECRET}/namespace": pod.namespace,
        f"{_SECRET}/token": f"token-of-{pod.uid}",
        f"{_SECRET}/ca.crt": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    }
