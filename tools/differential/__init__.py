"""Random small scenarios, run here and on a real cluster; what differs is made as small as it gets.

docs/how-to/differential.md says how it is used. Without a cluster it looks for what must hold of every run.
"""
