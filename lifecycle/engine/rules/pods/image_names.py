"""The names of images: many ways to write one."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1024)
def full_name(image: str) -> str:
    """What a runtime knows an image by: `busybox` is `docker.io/library/busybox:latest`."""
    host, slash, path = image.partition("/")
    if not slash or (host == "docker.io" and "/" not in path):
        image = f"docker.io/library/{path or image}"
    elif not ("." in host or ":" in host or host == "localhost"):
        image = f"docker.io/{image}"
    last = image.rpartition("/")[2]
    return image if ":" in last or "@" in last else f"{image}:latest"
