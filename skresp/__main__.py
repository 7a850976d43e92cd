"""`python -m skresp`."""

import sys

from skresp._cli._main import main

if __name__ == "__main__":
    sys.exit(main())
