"""Where Services send traffic to: EndpointSlices and Endpoints of the pods they select.

Modelled: slices of at most a hundred endpoints, grouped by the ports that a pod has; conditions, host names,
zones and hints; edits by hand are undone; the older Endpoints objects, and slices that mirror Endpoints made
by hand. Left out: several address families, the annotation with the instant of the last change, hints by the
annotation `service.kubernetes.io/topology-mode`.
"""

from .mirror import EndpointSliceMirror
from .observe import EndpointSliceController

__all__ = ["EndpointSliceController", "EndpointSliceMirror"]
