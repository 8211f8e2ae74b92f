"""Which Podline this is, and of which Kubernetes."""

from lifecycle.engine.releases.known import DEFAULT_RELEASE

VERSION = "0.1.0"
TOLD = f"podline {VERSION} (Kubernetes {DEFAULT_RELEASE.version})"
