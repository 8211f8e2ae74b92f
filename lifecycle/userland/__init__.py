"""A small POSIX userland in virtual time: a shell, its tools and their files. It knows no Kubernetes."""
