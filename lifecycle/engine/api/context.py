"""The context that all parts of the engine get: clock, chance, store, trace and queues of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..heart.agenda import Agenda
from ..heart.chance import Chance
from ..heart.clock import Clock
from ..heart.loop import Loop
from ..heart.settings import MOST_PODS, Settings, read_span_ms
from ..heart.timing import Timing
from ..heart.trace import Trace
from ..releases.switches import LAST_END_IS_STATUS
from ..store.store import Store
from .admission.budgets import BudgetDirectory
from .admission.plugins import PodCompletion
from .admission.quotas import QuotaSums
from .admission.recommendations import Recommendations
from .connections import Connections
from .definitions import Definitions
from .metrics import Metrics
from .options import WriteOptions
from .services import ServiceDirectory
from .volumes import Volumes

API_SERVER, CRON_JOBS, DNS, REGISTRY = "kube-apiserver", "cronjob-controller", "coredns", "registry"
COMPONENTS = (API_SERVER, CRON_JOBS, DNS, REGISTRY)
"""What of a cluster can be away by itself: the API server with all that works through it; a controller by
the name that `--controllers` has for it; the cluster's DNS; whence images come."""
CRON_JOB_KEYS = "cronjob"
"""How the loop calls the controller of CronJobs."""


class Context:
    """The shared parts of one cluster. Parts meet here and in the store, never in each other."""

    def __init__(self, seed: int, epoch_ms: int, settings: Settings) -> None:
        self.clock = Clock(epoch_ms)
        self.agenda = Agenda()
        self.chance = Chance(seed)
        self.settings = settings
        self.release = settings.release
        self.features: Mapping[str, bool] = settings.feature_gates
        self.switches: Mapping[str, bool] = settings.switches
        self.timing = Timing(settings.timing)
        self.most_pods = min(settings.manager["mostPods"], MOST_PODS)
        self.trace = Trace()
        self.store = Store(self.trace, self.switches[LAST_END_IS_STATUS])
        self.quotas = QuotaSums(self.store)
        self.completion = PodCompletion(self.store, self.features)
        self.definitions = Definitions(self.store)
        self.services = ServiceDirectory(self.store)
        self.connections = Connections()
        self.metrics = Metrics(self.store, self.services, self.manager_ms("metricsResolution"))
        self.budgets = BudgetDirectory(self.store)
        self.recommendations = Recommendations()
        self.volumes = Volumes(self.store, epoch_ms)
        self.loop = Loop(self.clock, self.agenda, self.trace, self.timing)
        # Parts of the cluster that are away, and the numbers of the timers that end it; None: for ever.
        self.away: dict[str, int | None] = {}
        # Lines of container output since the last take: (pod uid, container, attempt, at_ms, text).
        self.logs: list[tuple[str, str, int, int, str]] = []
        # The address of a node's machine, by the node's name, also of one that is yet to come.
        self.find_machine_address: Callable[[str], str] = lambda node: ""
        # What the command that is being carried out says beside its object; None: a component writes.
        self.writer: WriteOptions | None = None
        # Images that were started without anything being known of their programs.
        self.assumed_images: set[str] = set()
        # What images are taken to be by their names alone.
        self.guesses: set[str] = set()

    @property
    def now_ms(self) -> int:
        """The instant being lived."""
        return self.clock.now_ms

    def warn(self, texts: Sequence[str]) -> None:
        """Tell whoever sent the command that is being carried out, if anybody did."""
        if self.writer is not None:
            self.writer.warn(texts)

    def begin_at(self, now_ms: int, chance_seed: int) -> None:
        """Go on from an instant that was lived through before, with the seed that chance came from then."""
        self.clock.now_ms = self.trace.at_ms = now_ms
        self.chance.draw_from(chance_seed)

    def take_over(self, former: Context) -> None:
        """Have what waits to be taken of a former control plane wait here."""
        self.trace.entries, self.trace.cause = former.trace.entries, former.trace.cause
        self.store.versions, self.logs = former.store.versions, former.logs
        self.assumed_images |= former.assumed_images
        self.guesses |= former.guesses

    def manager_ms(self, name: str) -> int:
        """A span of time that is set of the controller manager, in ms."""
        return read_span_ms(self.settings.manager[name])

    def draw_ms(self, latency: str, key: str) -> int:
        """A latency of the timing table, drawn by key, whose parts are parted by chance.PART."""
        low, high = self.timing.spreads[latency]
        return low if low == high else self.chance.draw_ms(latency, key, low, high)

    def find_pass_ms(self, latency: str, from_ms: int) -> int:
        """The first pass at or after an instant, of what goes over all there is in a rhythm of its own.

        The spread of the latency is that rhythm: its phase is drawn, and holds for the whole cluster.
        """
        low, high = self.timing.spreads[latency]
        period_ms = high - low
        if not period_ms:
            return from_ms + low
        return from_ms + low + (self.chance.draw_ms(latency, "", 0, period_ms - 1) - from_ms) % period_ms

    def later(
        self, delay_ms: int, kind: str, target: str, payload: Any = None, is_progress: bool = True
    ) -> int:
        """Set a timer whose cause is what is being acted on now."""
        return self.agenda.add(
            self.clock.now_ms + delay_ms, kind, target, payload, is_progress, self.trace.cause
        )
