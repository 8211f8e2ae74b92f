"""Which Podline this is, and of which Kubernetes."""

from lifecycle.engine import KUBERNETES_VERSION

VERSION = "0.1.0"
TOLD = f"podline {VERSION} (Kubernetes {KUBERNETES_VERSION})"
