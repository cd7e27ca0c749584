"""What the compiled module offers; `nardy_ai.core` is its typed face."""

from typing import Any

class InputError(ValueError): ...

def __getattr__(name: str) -> Any: ...
