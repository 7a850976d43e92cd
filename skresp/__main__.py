"""`python -m skresp`."""

import sys

from skresp.cli import main

if __name__ == "__main__":
    sys.exit(main())
