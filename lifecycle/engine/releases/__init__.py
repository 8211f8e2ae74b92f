"""What a release of Kubernetes is, as one value: gates, switches, and the tables that its sources make.

Pure facts. They know no object and no rule; code that decides is handed what it needs of them.
"""
