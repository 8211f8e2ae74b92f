"""`python -m podline`: the command line where no script is installed."""

import sys

from podline.command import main

if __name__ == "__main__":
    sys.exit(main())
