"""What a kubelet keeps of its pods, their containers and its node: plain data, found and saved."""
