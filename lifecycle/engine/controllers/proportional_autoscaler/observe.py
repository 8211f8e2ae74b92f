"""Following the size of the cluster for each add-on that runs, in periods in which something has changed."""

from __future__ import annotations

from typing import Any

from ...api.context import Context
from ...heart.errors import ApiError
from ...objects.meta import StoredObject
from ...objects.node import NODE_KIND, Node
from ...objects.workloads.deployment import DEPLOYMENT_KIND, Deployment
from ...rules.actions import Patch, Scale
from ..act import Act
from ..loop_controller import LoopController
from .decide import (
    IMAGE,
    KINDS,
    OF_TEMPLATES,
    Flags,
    Size,
    decide_replicas,
    decide_resources,
    measure,
    read_flags,
)

CONFIG_MAP = "ConfigMap"


class ProportionalAutoscalerController(LoopController):
    """Keys are Deployments that run the add-on. All polls are upkeep."""

    name, source = "proportionalAutoscaler", IMAGE
    kind = DEPLOYMENT_KIND.id

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        # Flags by the key of the Deployment that runs with them.
        self._running: dict[tuple[str, str], Flags] = {}
        context.store.listen(DEPLOYMENT_KIND.id, self._on_deployment)
        for kind in dict.fromkeys((NODE_KIND.id, CONFIG_MAP, *KINDS.values(), *OF_TEMPLATES.values())):
            context.store.listen(kind, self._on_other)

    def restore(self) -> None:
        """Read the flags again, after a cluster was loaded."""
        for deployment in self._store.list(DEPLOYMENT_KIND.id):
            self._file(deployment)

    # --- what a change can affect -----------------------------------------------------------------------

    def _on_deployment(self, old: Deployment | None, new: Deployment | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._running.pop((old.meta.namespace or "", old.meta.name), None)
            return
        if old is None or old.spec is not new.spec:
            self._file(new)
        if old is None or _runs(old) != _runs(new):
            self._poll(new.meta.namespace or "", new.meta.name)

    def _file(self, deployment: StoredObject) -> None:
        key = deployment.meta.namespace or "", deployment.meta.name
        flags = read_flags(deployment.spec.raw, key[0])
        if flags is not None:
            self._running[key] = flags
        else:
            self._running.pop(key, None)

    def _on_other(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not self._running or (
            old is not None and new is not None and old.spec is new.spec and old.kind.id not in _WHOLE
        ):
            return
        for key in self._running:
            self._poll(*key)

    def _poll(self, namespace: str, name: str) -> None:
        """Look when the add-on's next period is over."""
        flags, found = self._running.get((namespace, name)), self.find(namespace, name)
        if flags is None or found is None:
            return
        created_ms, now_ms = found.meta.creation_ms or 0, self._context.now_ms
        due_ms = created_ms + ((now_ms - created_ms) // flags.poll_ms + 1) * flags.poll_ms
        self._context.loop.enqueue_at(self.name, namespace, name, due_ms, is_progress=False)

    # --- a poll -----------------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Compare the size that the cluster asks for with the one there is."""
        deployment, flags = self.find(namespace, name), self._running.get((namespace, name))
        if not isinstance(deployment, Deployment) or flags is None or not _runs(deployment):
            return
        nodes = (node for node in self._store.list(NODE_KIND.id) if isinstance(node, Node))
        target, size = self._store.get(flags.kind, flags.namespace, flags.name), measure(nodes)
        if target is None:
            return
        about = target if flags.source != IMAGE else self._config_of(flags)
        try:
            told = (
                self._resize(target, flags, size)
                if flags.source != IMAGE
                else self._scale(target, about, size)
            )
        except (ValueError, ApiError) as problem:
            self._tell(about or target, flags, "Warning", "FailedRescale", str(problem))
            return
        if told:
            self._tell(about or target, flags, "Normal", "SuccessfulRescale", told)

    def _config_of(self, flags: Flags) -> StoredObject | None:
        return self._store.get(CONFIG_MAP, flags.namespace, flags.config_map)

    def _scale(self, target: Any, config: StoredObject | None, size: Size) -> str:
        """Set the replicas; what was done in words, "" where nothing was."""
        if config is None:
            return ""
        wanted, before = decide_replicas((config.extra or {}).get("data") or {}, size), target.spec.replicas
        if wanted == before:
            return ""
        self._act(Scale(target, wanted))
        return f"Replicas are not as expected : updating replicas from {before} to {wanted}"

    def _resize(self, target: Any, flags: Flags, size: Size) -> str:
        """Set requests and limits of the template; what was done in words, "" where nothing was."""
        wanted = decide_resources(flags.config, size)
        containers = target.spec.template.spec.containers
        stands = {one.name: one.raw.get("resources") or {} for one in containers}
        changed = {
            name: groups
            for name, groups in wanted.items()
            if name in stands and {**stands[name], **groups} != stands[name]
        }
        if not changed:
            return ""
        entries = [{"name": name, "resources": groups} for name, groups in changed.items()]
        self._act(Patch(target, {"spec": {"template": {"spec": {"containers": entries}}}}))
        return f"Updating resources for nodes: {size.nodes}, cores: {size.cores}"

    def _tell(self, about: StoredObject, flags: Flags, event_type: str, reason: str, message: str) -> None:
        self._context.trace.event(about.subject, event_type, reason, message, flags.source)


_WHOLE = (CONFIG_MAP, NODE_KIND.id)
"""Kinds of which more than the spec matters."""


def _runs(deployment: Deployment) -> bool:
    return deployment.status.ready_replicas > 0
