"""As whom the containers of a pod run, worked out once per template."""

from __future__ import annotations

from ...objects.pods.container import Container
from ...objects.pods.pod import Pod
from ...programs import Identity
from ...programs.images.sources import find_user
from ...rules.pods.security import (
    ROOT,
    ImageUser,
    decide_capabilities,
    decide_groups,
    decide_root_problem,
    decide_user,
    read_setting,
)
from ...rules.pods.user_namespaces import wants_one


def identity_of(pod: Pod, container: Container) -> Identity:
    """User, groups and capabilities of a container's processes."""
    known_by_key, key = pod.spec.notes.identities, (container.name, container.image)
    known = known_by_key.get(key)
    if not isinstance(known, Identity):
        known = known_by_key[key] = _make(pod, container)
    return known


def _make(pod: Pod, container: Container) -> Identity:
    raw, image = pod.spec.raw, _image_user(container)
    user, group = decide_user(read_setting(raw, container.raw), image)
    name = "root" if user == ROOT else image.name if image is not None and image.uid == user else ""
    return Identity(
        user, decide_groups(raw, group), name, decide_capabilities(container.raw, user), wants_one(raw)
    )


def root_problem(pod: Pod, container: Container) -> str:
    """Why a container that must not be root cannot be created; "" when it can (SECCTX-04)."""
    is_allowed, key = pod.spec.notes.is_root_allowed, (container.name, container.image)
    if is_allowed.get(key):
        return ""
    setting = read_setting(pod.spec.raw, container.raw)
    is_allowed[key] = not setting.must_not_be_root
    if not setting.must_not_be_root:
        return ""
    meta = pod.meta
    where = f'pod: "{meta.name}_{meta.namespace}({meta.uid})", container: {container.name}'
    return decide_root_problem(setting, _image_user(container), where)


def _image_user(container: Container) -> ImageUser | None:
    found = find_user(container.image)
    return ImageUser(*found) if found is not None else None
