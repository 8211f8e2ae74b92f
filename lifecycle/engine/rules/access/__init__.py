"""Role-based access control: who may do what, by the Roles and bindings of a cluster."""
