"""Makes the packages that several tests share importable: ``reference`` and ``comparison``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
