"""WebSocket paths."""

from django.urls import path

from dashboard.live.consumers import ClusterConsumer

websocket_urlpatterns = [
    path("ws/clusters/<str:cluster>/", ClusterConsumer.as_asgi()),
]
