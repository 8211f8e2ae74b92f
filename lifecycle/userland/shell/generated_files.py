"""Files of a container that nobody wrote: the image's own, those put in from outside, and the kernel's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..world import World

_SYSTEMS = {
    "dash": 'ID=debian\nNAME="Debian GNU/Linux"\n',
    "ash": 'ID=alpine\nNAME="Alpine Linux"\n',
    "bash": 'ID=linux\nNAME="Linux"\n',
}


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
    """Text by absolute path: what every small image has, what was put in, and what the kernel tells."""
    return {
        "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n",
        "/etc/group": "root:x:0:\nnogroup:x:65534:\n",
        "/etc/os-release": _SYSTEMS.get(flavour, ""),
        "/proc/self/comm": "sh\n",
        "/proc/meminfo": "MemTotal: 8388608 kB\nMemFree: 4194304 kB\nMemAvailable: 6291456 kB\n",
        "/proc/loadavg": "0.00 0.00 0.00 1/100 1\n",
        "/proc/1/comm": "sh\n",
        "/proc/1/cmdline": "sh",
        "/proc/1/cgroup": "0::/\n",
        **world.runtime_files,
        **world.kernel_files,
    }
