"""The sentence at the head of a cluster's page, with the pages of what is wrong."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from uuid import UUID

from dashboard.addresses import find_page
from lifecycle.engine.programs.images.doubts import find_meant
from lifecycle.models import Cluster
from lifecycle.recorded import verdict
from lifecycle.recorded.once import asked_once
from lifecycle.simulation.reports.tones import TONES, Tone

FRESH_SECONDS = 10.0
"""A verdict tells how long something lasts, in seconds: on a card it may be so old, in wall time."""
MOST_JUDGED = 500
"""Of more pods a card is so old as well while things change."""
MOST_KEPT = 500


@dataclass(frozen=True, slots=True)
class Trouble:
    """A workload whose pods are not well or not made, a lone pod or a node: name, page and one sentence."""

    tone: Tone
    name: str
    page: str
    sentence: str
    namespace: str = ""

    @property
    def rest(self) -> str:
        """The sentence, without the name where it begins with that."""
        rest = self.sentence.removeprefix(self.name)
        return rest.removeprefix(":").strip() if rest[:1] in (":", " ") else self.sentence


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says of a cluster. `hidden`: so many troubles are not told.

    `condition`: what has to be true of images for the rest to be well, where the sentence does not say it.
    """

    sentence: str
    troubles: list[Trouble]
    hidden: int
    condition: str
    doubted: tuple[str, ...]

    @property
    def meant(self) -> list[str]:
        """The well-known images that may be meant by those that nobody knows."""
        return [meant for meant in map(find_meant, self.doubted) if meant]


def read_verdict(cluster: Cluster, now_ms: int) -> Verdict:
    """How a cluster stands."""
    told = verdict.read_verdict(cluster, now_ms)
    troubles = [
        Trouble(
            TONES[one.state],
            one.name,
            find_page(one.kind, one.namespace, one.name),
            one.sentence,
            one.namespace,
        )
        for one in told.troubles
    ]
    return Verdict(told.sentence, troubles, told.hidden, told.condition, told.doubted)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was told last of a cluster, of which history, at which instant, and when that was."""

    seq: int
    rv: int
    at_ms: int
    made_at: float
    verdict: Verdict

    def tells(self, cluster: Cluster, pods: int, now_ms: int) -> bool:
        """Whether it is good enough for a card."""
        is_fresh = time.monotonic() - self.made_at < FRESH_SECONDS
        if (self.seq, self.rv) == (cluster.seq, cluster.rv):
            return is_fresh or self.at_ms == now_ms
        return is_fresh and pods > MOST_JUDGED


_kept: OrderedDict[UUID, _Kept] = OrderedDict()
_keeping = threading.Lock()


def keep_verdict(cluster: Cluster, pods: int, now_ms: int) -> Verdict:
    """What `read_verdict` tells, made once as long as nothing changes and time stands, or for some seconds.

    So a page of many clusters, some with thousands of pods, is not kept waiting for what was judged before.
    `pods`: how many living ones the cluster has.
    """
    with _keeping:
        known = _kept.get(cluster.epoch_id)
        if known is not None:
            _kept.move_to_end(cluster.epoch_id)
    if known is None or not known.tells(cluster, pods, now_ms):
        made_at = time.monotonic()
        # Of many clusters one after the other: what was asked of one is not held while others are judged.
        with asked_once(anew=True):
            told = read_verdict(cluster, now_ms)
        known = _Kept(cluster.seq, cluster.rv, now_ms, made_at, told)
        with _keeping:
            _kept[cluster.epoch_id] = known
            _kept.move_to_end(cluster.epoch_id)
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
    return known.verdict
