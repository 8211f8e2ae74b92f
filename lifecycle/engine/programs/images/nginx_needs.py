"""What the official nginx must be able to do in its container, and what it says when it ends without.

It makes folders below /var/cache/nginx, gives them to its own user when it is root, and writes its pid file.
Ports below 1024 are open to every user, as containerd sets it. A configuration of one's own may name other
places, so nothing is said of that.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...objects.pods.container import Container
from ...objects.pods.pod import PodSpec
from ...rules.pods.security import ROOT, decide_capabilities, has_read_only_root, read_setting
from ..volumes import is_read_only_volume
from .sources import find_image

_CONFIGURATION = "/etc/nginx/nginx.conf"
_FOLDER = "/var/cache/nginx/client_temp"
_READ_ONLY, _DENIED, _NOT_PERMITTED = (
    "30: Read-only file system",
    "13: Permission denied",
    "1: Operation not permitted",
)


def find_nginx_problem(pod_spec: PodSpec, container: Container) -> str:
    """The last line it prints before it ends with 1; "" when it can start, or is not nginx."""
    found = find_image(container.image)
    is_nginx = found is not None and found.name == "nginx"
    if not is_nginx or _is_in(_CONFIGURATION, _folders(container, pod_spec, True)):
        return ""
    writable = list(_folders(container, pod_spec, False))
    user = read_setting(pod_spec.raw, container.raw).user or ROOT
    why = _READ_ONLY if has_read_only_root(container.raw) else _DENIED if user != ROOT else ""
    if why and not _is_in(_FOLDER, writable):
        return f'nginx: [emerg] mkdir() "{_FOLDER}" failed ({why})'
    if user == ROOT and "CHOWN" not in decide_capabilities(container.raw, user):
        return f'nginx: [emerg] chown("{_FOLDER}", 101) failed ({_NOT_PERMITTED})'
    # /var/run is a link to /run.
    if why and not (_is_in("/run/nginx.pid", writable) or _is_in("/var/run/nginx.pid", writable)):
        return f'nginx: [emerg] open() "/run/nginx.pid" failed ({why})'
    return ""


def _folders(container: Container, pod_spec: PodSpec, with_read_only: bool) -> Iterator[str]:
    """Where volumes are mounted; those that can be written to, or all."""
    fixed = {one.get("name") for one in pod_spec.volumes if is_read_only_volume(one)}
    for mount in container.raw.get("volumeMounts") or ():
        if with_read_only or not (mount.get("readOnly") or mount.get("name") in fixed):
            yield str(mount.get("mountPath") or "").rstrip("/")


def _is_in(path: str, folders: Iterator[str] | list[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)
