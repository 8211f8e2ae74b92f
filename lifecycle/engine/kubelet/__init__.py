"""One kubelet a node: pods are started, probed, stopped and reported."""
