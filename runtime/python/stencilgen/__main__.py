"""``python -m stencilgen``: the command line."""

import sys

from ._tool import main

sys.exit(main())
