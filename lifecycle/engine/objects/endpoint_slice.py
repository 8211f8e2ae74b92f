"""EndpointSlices, and the Endpoints that were before them; both are kept as plain JSON."""

from __future__ import annotations

from .kinds import Kind

ENDPOINT_SLICE_KIND = Kind("discovery.k8s.io/v1", "EndpointSlice", "endpointslices")
ENDPOINTS_KIND = Kind("v1", "Endpoints", "endpoints", True, "ep")
