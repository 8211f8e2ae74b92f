"""What is recorded of a cluster, as the judge is told of it: objects, rows, what is wrong of each kind."""
