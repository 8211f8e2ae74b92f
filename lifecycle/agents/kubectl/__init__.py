"""kubectl's words, carried out on an engine that is at hand: no server, no kubectl.

`ask` reads one command line. What it wants to see is told at once, as kubectl prints it; what it wants to be
done is a list of the engine's commands, and what it wants to wait for is a question to the engine. Left out:
exec, top, port-forward, edit, and outputs by templates.
"""
