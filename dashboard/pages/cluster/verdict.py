"""The sentence at the head of a cluster's page, with the pages of what is wrong."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from dashboard.addresses import find_page
from lifecycle.engine.programs.images.doubts import find_meant
from lifecycle.models import Cluster
from lifecycle.recorded import verdict
from lifecycle.simulation.reports.tones import TONES, Tone

FRESH_MS = 5_000
"""A verdict tells how long something lasts, in seconds: on a card it may be so old."""
MOST_KEPT = 500
_kept: OrderedDict[tuple[Any, ...], Verdict] = OrderedDict()
_keeping = threading.Lock()


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


def read_verdict(cluster: Cluster, counts: list[tuple[Tone, int]], now_ms: int) -> Verdict:
    """How a cluster stands. `counts`: its living pods by state."""
    told = verdict.read_verdict(cluster, now_ms, {tone.name: count for tone, count in counts})
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


def keep_verdict(cluster: Cluster, counts: list[tuple[Tone, int]], now_ms: int) -> Verdict:
    """What `read_verdict` tells, made once as long as nothing changes and time stands, or for 5 s of it.

    So a page of many clusters, some with thousands of pods, is not kept waiting for what was judged before.
    """
    key = (cluster.epoch_id, cluster.seq, cluster.rv, now_ms // FRESH_MS)
    with _keeping:
        known = _kept.get(key)
    if known is None:
        known = read_verdict(cluster, counts, now_ms)
        with _keeping:
            _kept[key] = known
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
    return known
