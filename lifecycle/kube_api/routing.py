"""WebSocket paths below /k8s/."""

from django.urls import re_path

from lifecycle.kube_api.containers.socket import ContainerSocket

websocket_urlpatterns = [
    re_path(
        r"^k8s/(?P<cluster>[^/]+)/api/v1/namespaces/(?P<namespace>[^/]+)/pods/(?P<pod>[^/]+)/"
        r"(?P<action>exec|attach|portforward)$",
        ContainerSocket.as_asgi(),
    ),
]
