"""EndpointSlices: which pods a Service sends traffic to, and how each of them stands.

Modelled: slices of at most a hundred endpoints, the conditions ready, serving and terminating,
`publishNotReadyAddresses`. Left out: topology hints, several address families, pods whose ports of one name
have different numbers (the oldest pod's counts), edits of a slice by hand, the older Endpoints objects.
"""

from .observe import EndpointSliceController

__all__ = ["EndpointSliceController"]
