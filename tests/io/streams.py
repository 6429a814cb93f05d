"""Tables from strings and into strings."""

import io
from typing import Any

from dimflow import from_csv, to_csv


def read(text: str, **options: Any) -> dict[str, Any]:
    return from_csv(io.StringIO(text), **options)


def written(columns: Any, **options: Any) -> str:
    file = io.StringIO()
    to_csv(file, columns, **options)
    return file.getvalue()
