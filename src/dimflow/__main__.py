"""`python -m dimflow` is the `dimflow` command."""

import sys

from dimflow.cli import main

if __name__ == "__main__":
    sys.exit(main())
