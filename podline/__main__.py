"""`python -m podline`: the command line where no script is installed."""

from podline.command import start

if __name__ == "__main__":
    start()
