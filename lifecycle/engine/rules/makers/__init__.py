"""Who makes a Secret or a ConfigMap that no manifest holds: objects of operators, operators, and Jobs."""
