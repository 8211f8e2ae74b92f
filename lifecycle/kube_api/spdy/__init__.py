"""SPDY/3.1 as Kubernetes' clients speak it: several streams of bytes in one connection."""
