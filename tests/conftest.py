"""Makes the packages that several tests share importable, and says what several processes may share out.

`pytest -n 2 --dist loadgroup` runs the tests in two processes. A file stays in one of them, and so does a
folder whose fixtures are dear: it builds wheels, libraries or servers once.
"""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TOGETHER = ("library", "packaging", "serving")

sys.path.insert(0, str(HERE))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        place = item.path.relative_to(HERE)
        group = place.parts[0] if place.parts[0] in TOGETHER else str(place)
        item.add_marker(pytest.mark.xdist_group(group))
