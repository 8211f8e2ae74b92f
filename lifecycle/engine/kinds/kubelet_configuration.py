"""KubeletConfiguration: a file of a node's, not an object of the API; one that is sent is stored."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.validation.kubelet_config import validate_kubelet_configuration
from .entry import KindEntry

KUBELET_CONFIGURATION = KindEntry(
    kind=Kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", "kubeletconfigurations"),
    is_passive=True,
    validate=lambda data, gates: validate_kubelet_configuration(data),
)
