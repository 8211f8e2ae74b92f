"""The cloud's part of Services of type LoadBalancer: an address after a while. The cloud is assumed.

Models Kubernetes' service controller; Services with a class are left to whoever knows it. Left out: what a
cloud does at later changes of ports and nodes.
"""

from .observe import LoadBalancerController

__all__ = ["LoadBalancerController"]
