"""The commands a script can call, each a small function over plain state that writes, waits or ends."""
