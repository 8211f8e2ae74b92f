"""Pod sandboxes and the pod network: created before any container, and again if a sandbox is lost.

Models the mount of volumes before the sandbox, a runtime that fails to create it, and a lost sandbox: all
containers are stopped, then the pod starts again in a new sandbox, init containers first.
"""

from __future__ import annotations

from lifecycle.userland.world import Exit

from ...heart.chance import PART
from ...objects.meta import StoredObject
from ...objects.node import Node
from ...objects.pods.pod import Pod
from ...objects.pods.runtime import RuntimePod
from ...objects.storage import ATTACHMENT, CLAIM
from ...programs import make_namespace
from ...rules.pods.actions import ContainerToKill, decide_pod_actions
from ...rules.pods.host_names import decide_host_name, find_name_problem
from ...rules.pods.user_namespaces import find_free_block, wants_one, why_not
from ...rules.volumes.claims import attached_volume, claim_ref, is_attached, is_bound
from ...rules.volumes.sources import SOURCE_KINDS
from ..parts import NORMAL, SOURCE, WARNING, Kubelet, Parts
from ..probing.prober import Prober
from ..reports import Reporter
from ..state.container_run import HELD, IDLE, PRE_STOP, STOPPING
from ..state.node_agent import SANDBOXES, NodeAgent
from ..state.worker import KILLING, SYNCING, TERMINATED, PodWorker
from ..stopping.termination import Stopper
from .mounts import (
    find_problems,
    find_unregistered,
    list_missing_pull_secrets,
    list_mounted,
    next_try_ms,
    next_wait_ms,
)

MOUNT, SANDBOX = "kubelet.mount", "kubelet.sandbox"
RETRY_MS = 10_000
"""A kubelet whose sandbox could not be made tries again about this often."""
_CHANGED = "Pod sandbox changed, it will be killed and re-created."
_LOST_EXIT_CODE = 255
_BEING_STOPPED = (PRE_STOP, HELD, STOPPING)


class Sandboxes:
    """Makes them, loses them, makes them again."""

    __slots__ = ("_kubelet", "_parts", "_prober", "_reporter", "_stopper")

    def __init__(
        self, parts: Parts, prober: Prober, reporter: Reporter, stopper: Stopper, kubelet: Kubelet
    ) -> None:
        self._parts = parts
        self._prober = prober
        self._reporter = reporter
        self._stopper = stopper
        self._kubelet = kubelet
        for kind in SOURCE_KINDS:
            parts.store.listen(kind, self._on_volume_source)
        parts.store.listen(CLAIM, self._on_claim)
        parts.store.listen(ATTACHMENT, self._on_attachment)

    # --- making one -----------------------------------------------------------------------------------

    def begin(self, worker: PodWorker, pod: Pod) -> None:
        """Volumes come before the sandbox; a pod waits for a ConfigMap or Secret that is not there."""
        parts = self._parts
        worker.stage_timer = None
        # What is mounted stays so for as long as there is the pod.
        if not worker.runtime.sandbox_id and pod.spec.volumes and not self._has_mounted(worker, pod):
            return
        secrets = list_missing_pull_secrets(parts.store, pod.meta.namespace or "", pod.spec.raw)
        if secrets:
            text = (
                f"Unable to retrieve some image pull secrets ({', '.join(secrets)}); attempting to pull the"
            )
            text += " image may not succeed."
            parts.event(worker, None, WARNING, "FailedToRetrieveImagePullSecret", text)
        uid, runtime = worker.uid, worker.runtime
        attempt = runtime.sandbox_attempt + 1 if runtime.sandbox_id else 0
        delay_ms = parts.context.draw_ms("sandbox", f"{uid}{PART}{attempt}")
        if pod.spec.volumes and not attempt:
            delay_ms += parts.context.draw_ms("volume_mount", uid)
        if delay_ms == 0:
            self.on_made(worker, pod)
        else:
            worker.stage_timer, _ = parts.later(delay_ms, SANDBOX, worker)

    def on_mount(self, worker: PodWorker, pod: Pod) -> None:
        """It is time to try again what could not be mounted."""
        worker.return_timer = None
        if worker.is_ending:
            self.mount_in_vain(worker, pod)
        else:
            self.begin(worker, pod)

    def mount_in_vain(self, worker: PodWorker, pod: Pod) -> None:
        """A kubelet that has started while a pod is ending tries its volumes while containers run."""
        parts, first_ms = self._parts, worker.mounting_ms
        if first_ms is None or not worker.is_running:
            return
        problems = find_unregistered(pod.meta.namespace or "", pod.spec.raw)
        for problem in problems:
            parts.event(worker, None, WARNING, "FailedMount", problem)
        if problems:
            self._try_at(worker, next_try_ms(first_ms, parts.now_ms), is_progress=False)

    def _has_mounted(self, worker: PodWorker, pod: Pod) -> bool:
        """Mount what can be. Each try tells what cannot, and the next comes after a pause that grows."""
        from .claims import find_claim_problem, is_waiting_for_volume

        parts = self._parts
        volumes, now_ms = parts.context.volumes, parts.now_ms
        mounted = list_mounted(pod.spec)
        names = [str(one.get("name")) for one in mounted]
        problems = find_problems(parts.store, pod.meta.namespace or "", mounted)
        unbound = find_claim_problem(volumes, pod, names)
        is_waiting = not unbound and is_waiting_for_volume(volumes, pod, worker.node, names)
        first_ms = worker.mounting_ms
        if first_ms is None:
            if not (problems or unbound or is_waiting):
                return True
            first_ms = worker.mounting_ms = now_ms
        for problem in (*problems, *([unbound] if unbound else ())):
            parts.event(worker, None, WARNING, "FailedMount", problem)
        if unbound:
            self._try_at(worker, parts.return_ms(worker, now_ms, RETRY_MS), is_progress=False)
        elif problems:
            self._try_at(worker, next_try_ms(first_ms, now_ms), is_progress=False)
        elif is_waiting:
            # Tried again as soon as it is there.
            parts.stay(worker)
        else:
            return self._has_heard(worker, first_ms)
        return False

    def _has_heard(self, worker: PodWorker, first_ms: int) -> bool:
        """All is mounted; the worker may have to end a pause before it learns of that."""
        parts = self._parts
        known_ms = next_wait_ms(
            first_ms, parts.now_ms, lambda at_ms: parts.return_ms(worker, at_ms, RETRY_MS)
        )
        if known_ms > parts.now_ms:
            self._try_at(worker, known_ms, is_progress=True)
            return False
        worker.mounting_ms = None
        return True

    def _try_at(self, worker: PodWorker, due_ms: int, is_progress: bool) -> None:
        parts = self._parts
        parts.stay(worker)
        number, _ = parts.later(due_ms - parts.now_ms, MOUNT, worker, is_progress=is_progress)
        worker.return_timer = (number, due_ms, is_progress)

    def _on_volume_source(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Something to mount has come or changed: the next try of pods that wait may get further."""
        if new is not None:
            for worker in self._parts.pod_manager.workers_to_mount_for():
                self._try_soon(worker)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and (old is None or not is_bound(old)):
            self._try_users(new.meta.namespace, new.meta.name)

    def _on_attachment(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or not is_attached(new):
            return
        volume = self._parts.context.volumes.volume(attached_volume(new))
        if volume is not None:
            ref = claim_ref(volume)
            self._try_users(ref.get("namespace"), ref.get("name") or "")

    def _try_users(self, namespace: str | None, claim: str) -> None:
        """A claim has got further: the pods that wait for it are tried."""
        for pod in self._parts.context.volumes.users(namespace, claim):
            worker = self._parts.pod_manager.workers.get(pod.meta.uid)
            if worker is not None and worker.mounting_ms is not None and worker.stage == SYNCING:
                self._try_soon(worker)

    def _try_soon(self, worker: PodWorker) -> None:
        parts = self._parts
        if worker.stage_timer or worker.sandbox_failed_ms is not None or parts.is_left_alone(worker):
            return
        # Pods that wait without a next try are tried now.
        _, due_ms, is_progress = worker.return_timer or (0, parts.now_ms, False)
        if not is_progress:
            self._try_at(worker, due_ms, is_progress=True)

    def on_made(self, worker: PodWorker, pod: Pod) -> None:
        """The runtime has an answer: a sandbox with an address, unless it fails on this node."""
        worker.stage_timer = None
        agent = self._parts.agents[worker.node]
        if agent.outages and SANDBOXES in agent.outages:
            self._fail(worker, f'failed to set up the network of pod "{pod.meta.name}"', pod)
            return
        problem = self._find_name_problem(pod)
        if not problem and wants_one(pod.spec.raw):
            problem = self._give_ids(worker, agent, pod)
        if problem:
            self._fail(worker, problem, pod)
            return
        self.end(worker)
        runtime = worker.runtime
        worker.processes = make_namespace(pod.spec.share_process_namespace, pod.spec.host_pid)
        ip = agent.host_ip if pod.spec.host_network else agent.next_address()
        attempt = runtime.sandbox_attempt + 1 if runtime.sandbox_id else 0
        worker.runtime = RuntimePod(f"{worker.uid}-{attempt}", True, attempt, ip, runtime.containers)
        if agent.rules.tells_sandbox_at_once:
            # Its address is told by the next sync (OnPodSandboxReady).
            pod = self._reporter.report(worker, pod)
        self._parts.pod_manager.take_sandbox(worker, ip)
        # Reported by the next sync: this one goes on to start containers, and may have to wait for a hook.
        worker.has_changed = False
        # A sync while it was being made has found nothing to do.
        worker.must_act = True
        self._kubelet.sync_pod(worker, pod)
        worker.has_changed = True

    def _find_name_problem(self, pod: Pod) -> str:
        """Why it cannot be given the full name that it asks for; "" when it can, or asks for none."""
        raw, meta = pod.spec.raw, pod.meta
        if not raw.get("setHostnameAsFQDN"):
            return ""
        domain = self._parts.dns.domain
        return find_name_problem(
            raw, decide_host_name(raw, meta.name, meta.namespace or "", pod.node_name, domain)
        )

    def _give_ids(self, worker: PodWorker, agent: NodeAgent, pod: Pod) -> str:
        """Ids of the node for a pod with users of its own; says why there are none (USERNS-03, -23)."""
        if worker.first_host_id is not None:
            return ""
        node = self._parts.store.get("Node", "", worker.node)
        if isinstance(node, Node):
            problem = why_not(node.status.raw, node.meta.annotations, pod.spec.volumes)
            if problem:
                return problem
        others = [one for one in self._parts.pod_manager.workers_on(worker.node) if one.stage != TERMINATED]
        taken = {other.first_host_id for other in others if other.first_host_id is not None}
        worker.first_host_id = find_free_block(agent.configuration, taken)
        return "" if worker.first_host_id is not None else "no ids are left for another user namespace"

    # --- failing to -----------------------------------------------------------------------------------

    def _series(self, worker: PodWorker) -> str:
        return f"sandbox|{worker.uid}"

    def _fail(self, worker: PodWorker, problem: str, pod: Pod) -> None:
        # It is tried again and again; nothing changes until the trouble is over (SBOX-11).
        if worker.sandbox_failed_ms is None:
            worker.sandbox_failed_ms = self._parts.context.clock.now_ms
        text = f"Failed to create pod sandbox: {problem}"
        self._parts.trace.open_event_series(
            self._series(worker), pod.subject, WARNING, "FailedCreatePodSandBox", text, SOURCE, None, RETRY_MS
        )

    def try_again(self, agent: NodeAgent) -> None:
        """Sandboxes can be made again on a node: each pod finds out at its next try."""
        now_ms = self._parts.context.clock.now_ms
        for worker in self._parts.pod_manager.workers_of(agent.name):
            first_ms = worker.sandbox_failed_ms
            if first_ms is not None and worker.stage_timer is None:
                delay_ms = -(now_ms - first_ms) % RETRY_MS
                worker.stage_timer, _ = self._parts.later(delay_ms, SANDBOX, worker)

    def end(self, worker: PodWorker) -> None:
        """No sandbox is waited for any more, if one was."""
        if worker.sandbox_failed_ms is None:
            return
        worker.sandbox_failed_ms = None
        self._parts.trace.close_series(self._series(worker), until_ms=self._parts.context.clock.now_ms - 1)

    # --- losing one -----------------------------------------------------------------------------------

    def lose(self, worker: PodWorker) -> None:
        """The sandbox is destroyed under the pod's feet; its containers are not, at first (SBOX-04)."""
        worker.runtime = worker.runtime.replace(sandbox_ready=False)
        worker.has_changed = worker.must_act = True
        self._parts.touch(worker)
        self._parts.context.connections.note_pod(worker.uid)

    def lose_all(self, agent: NodeAgent) -> None:
        """A node goes down: sandboxes and processes are gone at once; nobody is there to tell."""
        now_ms = self._parts.context.clock.now_ms
        for worker in self._parts.pod_manager.workers_of(agent.name):
            self.lose(worker)
            for run in worker.runs.values():
                if run.process is not None:
                    run.process.exit = Exit(now_ms, _LOST_EXIT_CODE, "Unknown")
                    self._kubelet.on_exit(worker, run)

    def renew(self, worker: PodWorker, pod: Pod) -> bool:
        """The kubelet finds the sandbox gone: stop what runs, then begin again in a new one (SBOX-05).

        Returns False when nothing of the pod is to start again: it is over.
        """
        worker.must_act = False
        if worker.stage_timer is not None or worker.sandbox_failed_ms is not None:
            return True
        if not worker.is_renewing and any(run.stage in _BEING_STOPPED for run in worker.runs.values()):
            # What is being stopped has ended before the kubelet looks again.
            return True
        if not decide_pod_actions(worker.spec, worker.runtime).create_sandbox:
            return False
        if not worker.is_renewing:
            self._begin_renewing(worker, pod)
        elif not worker.is_running:
            self._begin_again(worker, pod)
        return True

    def give_up(self, worker: PodWorker, pod: Pod) -> None:
        """Stop all that runs, and the sandbox with it: how they end shows what comes of it (KillPod)."""
        worker.runtime = worker.runtime.replace(sandbox_ready=False)
        self._stop(worker, pod)
        worker.under_way = KILLING
        worker.must_act = True
        self._parts.touch(worker)

    def _begin_renewing(self, worker: PodWorker, pod: Pod) -> None:
        worker.is_renewing = True
        self._parts.event(worker, None, NORMAL, "SandboxChanged", _CHANGED)
        self._stop(worker, pod)
        # How they ended may mean that nothing is to be started again.
        worker.must_act = True
        self._parts.touch(worker)

    def _begin_again(self, worker: PodWorker, pod: Pod) -> None:
        worker.is_renewing = worker.has_initialized = False
        for run in worker.runs.values():
            # What was to start again does so in its turn, after the init containers.
            run.must_restart = False
        for init in worker.spec.init_containers:
            worker.runs[init.name].ready = False
        kept = {one.name for one in worker.spec.containers}
        records = worker.runtime.containers
        worker.runtime = worker.runtime.replace(
            containers={name: record for name, record in records.items() if name in kept}
        )
        worker.must_act = True
        self.begin(worker, pod)

    def _stop(self, worker: PodWorker, pod: Pod) -> None:
        trace = self._parts.trace
        cause = trace.cause
        for run in list(worker.runs.values()):
            trace.cause = cause
            self._prober.end(worker, run)
            if run.process is None:
                self._parts.cancel(run.stage_timer)
                run.stage, run.stage_timer = IDLE, None
                continue
            name = run.container.name
            why = ContainerToKill(name, "", "SandboxChanged", f"Stopping container {name}")
            self._stopper.kill(worker, pod, run, why)
