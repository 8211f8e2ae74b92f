"""What `docs/manifests.md` says of requests: who sends, who follows changes how late, and whence we know."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle.engine.heart.timing import Timing
from lifecycle.management.doc_sections import make_table

HEAD = """Of each Service that selects pods it is counted what becomes of its requests: served, served
by a pod that is not ready, refused (nobody listens), reset (the process ended while they were under
way), timed out (no answer, as the address or the node is gone), or sent to nobody (no endpoints).
Nothing is really sent: requests are a stream that comes evenly and is divided evenly over what each
sender knows. A sender counts from when it first knows of an endpoint. What is lost is told in the
Service's rows `requests.<sender>`, in summaries, and to claims ([formats.md](formats.md#requests)).
"""
FACTS = (
    "Who sends: an ingress where an Ingress or an HTTPRoute names the Service, a load balancer where its type"
    " is LoadBalancer, else clients by DNS of a headless Service, and pods of any other. Of an Ingress hosts"
    " and paths are not matched. `podline.dev/requests` of the Service says otherwise.",
    "Senders are spread evenly over the nodes, and over those of at most 8: they stand for all others.",
    "kube-proxy sends to ready endpoints; where there are none, to those that end and still serve.",
    "A container takes connections once its server listens: what its script does, what is known of its image,"
    " or `listens` of its behaviour says when; else at once. From its stop signal on it takes none, unless"
    " `onTerm: {accepts: true}`; what is under way it finishes while it lives, unless `finishes: false`. A"
    " program that nobody knows ends at once, and drops what is under way.",
    "Without `takes` a request takes no time, so that none is under way; without `keepAlive` each has a"
    " connection of its own.",
)
MEASURED = """Measured on a real v1.36.3 with its own kube-proxy (iptables), one node, 100 requests a
second from the node, a connection each: rolling updates of three with and without `preStop`, a slow
start with and without a readiness probe, and a scale-down. Of these the losses and the instants at
which rules follow are what the lags of kube-proxy, of EndpointSlices and of a pod's network were set
by. **Not measured**: more than one node, nftables, connections that are kept alive, ingresses, load
balancers, DNS. What the model does there rests on the sources below, and on how Kubernetes says it
works.
"""
_SOURCES = {
    "service_proxy": (
        "each node's kube-proxy hears of a change",
        "measured; where it is given in `timing`, it is the whole lag",
    ),
    "service_proxy_sync": (
        "each node's kube-proxy writes its rules, at most once a second",
        "measured; `minSyncPeriod` of its configuration (pkg/proxy/apis/config/v1alpha1/defaults.go)",
    ),
    "endpoints_rest": ("the others of several pods that change at once", "measured, at a scale-down"),
    "pod_network": ("the network of a pod that has ended goes", "measured: refused before, timed out after"),
    "ingress": (
        "ingresses and gateways",
        "not measured; ingress-nginx: `--sync-rate-limit` 0.3 (command line arguments of its documentation)",
    ),
    "load_balancer": (
        "a load balancer follows the health of a node",
        "not measured; health checks 8 to 30 s apart, some in a row: documentation of Google Cloud and AWS",
    ),
    "dns": (
        "clients of a headless Service",
        "not measured; `cache 30` of the Corefile that kubeadm makes (cmd/kubeadm/app/phases/addons/dns)",
    ),
}


def list_parts() -> Iterator[str]:
    """The section, part by part."""
    yield HEAD
    yield "".join(f"- {line}\n" for line in FACTS)
    yield MEASURED
    yield make_table(("who follows", "how late, `realistic`", "timing", "whence"), map(_describe, _SOURCES))


def _describe(name: str) -> tuple[str, str, str, str]:
    who, whence = _SOURCES[name]
    low, high = Timing().spread(name)
    return who, f"{low:,} to {high:,} ms", f"`{name}`", whence
