"""What looks at every write: which policies and webhooks a request is for, and what policies say of it."""
