"""ConfigMaps and Secrets as the kubelet reads them: texts by key."""

from __future__ import annotations

import base64
import binascii

from ...objects.meta import StoredObject
from ...store.store import Store


class StoredSources:
    """Those of one namespace."""

    __slots__ = ("_namespace", "_store")

    def __init__(self, store: Store, namespace: str) -> None:
        self._store = store
        self._namespace = namespace

    def config_map(self, name: str) -> dict[str, str] | None:
        """What a ConfigMap holds; None when there is none."""
        found = self._store.get("ConfigMap", self._namespace, name)
        return _read(found) if found is not None else None

    def binary_data(self, name: str) -> dict[str, str]:
        """What a ConfigMap holds in base64, decoded."""
        found = self._store.get("ConfigMap", self._namespace, name)
        texts = ((found.extra or {}).get("binaryData") or {}) if found is not None else {}
        return {key: _decode(str(text)) for key, text in texts.items()}

    def secret(self, name: str) -> dict[str, str] | None:
        """What a Secret holds, decoded; None when there is none."""
        found = self._store.get("Secret", self._namespace, name)
        return {key: _decode(text) for key, text in _read(found).items()} if found is not None else None


def _read(found: StoredObject) -> dict[str, str]:
    return {key: str(text) for key, text in ((found.extra or {}).get("data") or {}).items()}


def _decode(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return text
