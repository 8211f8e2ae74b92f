"""The machine a kubelet runs on, and what befalls it."""
