"""Files that the kubelet and the container runtime put into every container."""

from collections.abc import Iterator, Mapping

from ..world import World


class Generated(Mapping[str, str]):
    """The files for one call of a container's processes; what they say is worked out when one is read."""

    __slots__ = ("_flavour", "_names", "_texts", "_world")

    def __init__(self, names: Mapping[str, None], world: World, flavour: str) -> None:
        self._names = names
        self._world = world
        self._flavour = flavour
        self._texts: Mapping[str, str] | None = None

    def __getitem__(self, path: str) -> str:
        if self._texts is None:
            self._texts = generated_files(self._world, self._flavour)
        return self._texts[path]

    def __contains__(self, path: object) -> bool:
        return path in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def generated_files(world: World, flavour: str) -> dict[str, str]:
    """Text by absolute path; what it says follows from the pod."""
    pod = world.pod
    secret = "/var/run/secrets/kubernetes.io/serviceaccount"
    system = {
        "dash": 'ID=debian\nNAME="Debian GNU/Linux"\n',
        "ash": 'ID=alpine\nNAME="Alpine Linux"\n',
        "bash": 'ID=linux\nNAME="Linux"\n',
    }
    return {
        "/etc/hostname": f"{pod.name}\n",
        "/etc/hosts": f"127.0.0.1\tlocalhost\n{pod.ip}\t{pod.name}\n",
        "/etc/resolv.conf": (
            f"search {pod.namespace}.svc.cluster.local svc.cluster.local cluster.local\n"
            "nameserver 10.96.0.10\noptions ndots:5\n"
        ),
        "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n",
        "/etc/group": "root:x:0:\nnogroup:x:65534:\n",
        "/etc/os-release": system.get(flavour, ""),
        f"{secret}/namespace": pod.namespace,
        f"{secret}/token": f"token-of-{pod.uid}",
        f"{secret}/ca.crt": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
        "/proc/self/comm": "sh\n",
        "/proc/meminfo": "MemTotal: 8388608 kB\nMemFree: 4194304 kB\nMemAvailable: 6291456 kB\n",
        "/proc/loadavg": "0.00 0.00 0.00 1/100 1\n",
        "/proc/1/comm": "sh\n",
        "/proc/1/cmdline": "sh",
        "/proc/1/cgroup": "0::/\n",
        **world.kernel_files,
    }
