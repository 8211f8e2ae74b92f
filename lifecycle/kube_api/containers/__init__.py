"""What a kubelet answers and the API server passes on: logs of containers, commands in them, their usage."""
