"""What somebody makes, as others ask for it."""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass

SECRET, CONFIG_MAP = "Secret", "ConfigMap"
EVERYWHERE = "*"
"""For the namespace of what is made in each of them."""
TLS_KEYS = ("ca.crt", "tls.crt", "tls.key")
TLS_TYPE = "kubernetes.io/tls"


@dataclass(frozen=True, slots=True)
class Made:
    """A Secret or ConfigMap that `maker` makes of an object of the input."""

    maker: str
    namespace: str
    name: str
    keys: tuple[str, ...] = ()
    kind: str = SECRET
    secret_type: str = "Opaque"
    has_other_keys: bool = False
    """What it holds stands outside of the cluster: whatever pods ask for is taken to be there."""
    joins: bool = False
    """Whether its keys are added to an object of that name which is there already."""
    creates: bool = True
    is_owned: bool = False
    """Whether it goes with the object that it is made for."""
