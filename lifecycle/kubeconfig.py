"""The file that brings kubectl and every other client to a cluster."""

import base64
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from django.conf import settings

ADDRESS_FILE = "address"
"""In the data folder: where `manage.py up` serves, such as http://127.0.0.1:8000."""
DEFAULT_ADDRESS = "http://127.0.0.1:8000"


def make_kubeconfig(cluster: str, user: str, token: str, address: str, authority: str = "") -> str:
    """A kubeconfig with one cluster, one user and one context, as YAML.

    `cluster`: what the user calls it in addresses, `shop` or `shop@alice`. `address`: where Podline is, such
    as https://podline.example.org. `authority`: the PEM file of the certificate authority to trust; "" for
    those that every machine knows.
    """
    server: dict[str, Any] = {"server": f"{address.rstrip('/')}/k8s/{quote(cluster, safe='@')}"}
    if authority:
        server["certificate-authority-data"] = base64.b64encode(Path(authority).read_bytes()).decode()
    name = f"podline-{cluster}"
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": server}],
        "users": [{"name": f"{name}-{user}", "user": {"token": token}}],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": f"{name}-{user}", "namespace": "default"}}
        ],
        "current-context": name,
        "preferences": {},
    }
    return yaml.safe_dump(document, sort_keys=False)


def locate(base: str, is_own_server: bool = True) -> tuple[str, str]:
    """(address, authority) for a client of the Podline at `base`, such as http://127.0.0.1:8000.

    Our own server speaks TLS on the same port, and kubectl sends its token over nothing else. Behind somebody
    else's TLS the authority is theirs.
    """
    authority = str(settings.TLS_AUTHORITY)
    if not (is_own_server and authority and Path(authority).exists()):
        return base, ""
    return f"https://{base.partition('://')[2]}", authority


def locate_for(request: Any) -> tuple[str, str]:
    """As `locate`, for a client of the Podline that a request came to."""
    base = request.build_absolute_uri("/").rstrip("/")
    # Over TLS it is the proxy before us that the asker trusts, unless our own server took the connection.
    is_own = not request.is_secure() or request.META.get("HTTP_X_FORWARDED_PROTO") is None
    return locate(base, is_own)


def read_address(data: Path) -> str:
    """Where `manage.py up` served last on this data folder."""
    try:
        return (data / ADDRESS_FILE).read_text().strip() or DEFAULT_ADDRESS
    except OSError:
        return DEFAULT_ADDRESS
