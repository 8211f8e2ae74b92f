"""The ASGI application: pages over HTTP, live frames over WebSocket, for signed-in people of this site."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
# Django is set up here; what follows imports models.
http_application = get_asgi_application()

from dashboard.routing import websocket_urlpatterns  # noqa: E402
from dashboard.web.bearers import past_pages  # noqa: E402
from dashboard.web.origins import SameOriginOnly  # noqa: E402
from lifecycle.kube_api.access.by_token import by_token  # noqa: E402
from lifecycle.kube_api.routing import websocket_urlpatterns as kube_api_urlpatterns  # noqa: E402

# Pages come with a session, and from here only; clients of the Kubernetes API with a token, from anywhere.
of_pages = SameOriginOnly(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))
application = ProtocolTypeRouter(
    {
        "http": by_token(past_pages(http_application)),
        "websocket": URLRouter([*kube_api_urlpatterns, re_path("", of_pages)]),
    }
)
