"""Requests to Services: what Kubernetes files the modules model. See the package for the form."""

from __future__ import annotations

MODELS: dict[str, tuple[str, ...]] = {
    "traffic/balancers": (
        "pkg/proxy/healthcheck/proxy_health.go",
        "pkg/proxy/healthcheck/service_health.go",
    ),
    "traffic/changes": ("pkg/proxy/endpointslicecache.go",),
    "traffic/followers": (
        "pkg/proxy/iptables/proxier.go",
        "pkg/proxy/runner/bounded_frequency_runner.go",
    ),
    "traffic/view": (
        "pkg/proxy/iptables/proxier.go",
        "pkg/proxy/topology.go",
    ),
}

OURS: dict[str, str] = {
    "traffic/memory": "world: requests that are under way, and connections that are kept open",
    "traffic/routes": "other: which Services ingress and gateway controllers send to",
    "traffic/saving": "glue: what is kept of requests, as plain data",
    "traffic/sender": "telling: what becomes of requests, summed up",
    "traffic/service": "world: how the endpoints of a Service answer",
    "traffic/traffic": "glue: puts together who sends, who follows and who answers",
    "traffic/watcher": "glue: asks the kubelets how endpoints answer",
}
