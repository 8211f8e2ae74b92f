"""What comes out otherwise under another release of Kubernetes, and which change is behind it."""
