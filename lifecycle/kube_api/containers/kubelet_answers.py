"""Requests that the API server passes on to a kubelet."""

from lifecycle.kube_api.access.authentication import Right
from lifecycle.kube_api.asking.asked import Asked, Stream, Text
from lifecycle.kube_api.containers import choice, log_options, logs, streams
from lifecycle.reads import virtual_now_ms


def read_log(asked: Asked) -> Stream | Text:
    """The log of a container. Raises Refusal."""
    cluster, name = asked.cluster, asked.address.name
    options = log_options.read(asked.options, name, cluster.epoch_ms, virtual_now_ms(cluster))
    pod = choice.find_pod(cluster, asked.address.namespace, name)
    found = logs.find(cluster, pod, options, Right.of(asked.request, cluster, asked.user))
    return Text(b"", logs.TEXT, 204) if found is None else Stream(found.respond)


def refuse_stream(asked: Asked) -> Text:
    """exec, attach or port-forward that came without a WebSocket. Raises Refusal, whatever was asked."""
    address = asked.address
    raise streams.refuse(asked.cluster, address.namespace, address.name, address.subresource, asked.options)
