"""WebSocket paths."""

from django.urls import path

from dashboard.live.consumers import ClusterConsumer
from dashboard.web.guest_sockets import GuestConsumer

websocket_urlpatterns = [
    path("ws/clusters/<str:cluster>/", ClusterConsumer.as_asgi()),
    path("s/<str:token>/ws/clusters/<str:cluster>/", GuestConsumer.as_asgi()),
]
