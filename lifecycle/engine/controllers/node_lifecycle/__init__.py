"""The node lifecycle controller: nodes that are not heard of any more, and what is done about it.

Nothing ticks. A kubelet that falls silent leaves a lease that says when it was heard last; from that follows
when its node is found lost. Taints that only keep new pods away are set in `node_taints`; `taint_eviction`
drives pods away. Left out: cloud providers, who say of some nodes that they are gone for good.
"""

from .observe import NodeLifecycleController

__all__ = ["NodeLifecycleController"]
