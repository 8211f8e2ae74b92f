"""Which worker serves which clusters, and whose turn it is there."""
