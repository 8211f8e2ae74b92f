"""All objects of a cluster: which there are, and what was changed of one."""
