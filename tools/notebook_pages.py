"""Notebooks: run with plain Python, and shown as pages of the site with their outputs.

    python tools/notebook_pages.py      # run all of them and keep what came out

mkdocs calls this as a hook. A cell is run as Jupyter runs it: what it prints, the value of its last
line, and the figures that it leaves open are its outputs. No kernel is needed for that.
"""

import ast
import contextlib
import io
import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dimflow.units import Unit

FOLDER = Path(__file__).parents[1] / "docs/notebooks"
_LINK = "[Download this notebook]({name}), with what came out when it was last run."

Notebook = dict[str, Any]
Output = dict[str, Any]


def on_files(files: Any, config: Any) -> Any:
    """What mkdocs calls with the files of the site: each notebook gets a page beside it."""
    from mkdocs.structure.files import File

    for path in sorted((Path(config.docs_dir) / "notebooks").glob("*.ipynb")):
        uri = f"notebooks/{path.stem}.md"
        files.append(File.generated(config, uri, content=markdown(read(path), path.name)))
    return files


def read(path: Path) -> Notebook:
    """A notebook as it is kept."""
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def source(cell: dict[str, Any]) -> str:
    """The text of a cell, which may be kept in lines."""
    return "".join(cell["source"])


def outputs(notebook: Notebook) -> Iterator[tuple[str, list[Output]]]:
    """The code of each cell and what comes out of it, in order and in one namespace."""
    import matplotlib

    matplotlib.use("Agg")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            yield source(cell), run(source(cell), namespace, count)


def run(code: str, namespace: dict[str, Any], count: int) -> list[Output]:
    """What a cell prints, the value of its last line, and the figures it leaves open."""
    before = open_figures()
    body = ast.parse(code).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"<cell {count}>", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {count}>", "eval"), namespace)
    found: list[Output] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None and not code.rstrip().endswith(";"):
        found.append({"data": shown(value), "execution_count": count, "metadata": {},
                      "output_type": "execute_result"})  # fmt: skip
    return [*found, *figures(open_figures() - before)]


def shown(value: Any) -> dict[str, Any]:
    """A value as text, and as HTML or SVG if it knows how."""
    data: dict[str, Any] = {}
    for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
        make = getattr(value, method, None)
        text = make() if callable(make) and not isinstance(value, Unit) else None
        if text:
            data[kind] = lines(text)
    return {**data, "text/plain": lines(repr(value))}


def open_figures() -> set[int]:
    """The numbers of the figures that are open, in this process."""
    from matplotlib import pyplot

    return set(pyplot.get_fignums())


def figures(numbers: set[int]) -> list[Output]:
    """Those that the cell left open, as pictures; they are closed."""
    from matplotlib import pyplot

    found: list[Output] = []
    for number in sorted(numbers):
        picture = io.BytesIO()
        pyplot.figure(number).savefig(picture, format="png", dpi=80, metadata={"Software": None})
        encoded = b64encode(picture.getvalue()).decode()
        found.append({"data": {"image/png": encoded, "text/plain": ["<Figure>"]}, "metadata": {},
                      "output_type": "display_data"})  # fmt: skip
        pyplot.close(number)
    return found


def lines(text: str) -> list[str]:
    """As notebooks keep a text."""
    return text.splitlines(keepends=True)


def ran(notebook: Notebook) -> Notebook:
    """The notebook with what comes out of it now."""
    results = outputs(notebook)
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            _, found = next(results)
            count = sum(c["cell_type"] == "code" for c in cells) + 1
            cell = {**cell, "execution_count": count, "outputs": found}
        cells.append(cell)
    return {**notebook, "cells": cells}


def markdown(notebook: Notebook, name: str) -> str:
    """A page: text as it is, code as code, and below it what came out."""
    parts = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append(source(cell))
        elif source(cell).strip():
            parts.append(f"```py\n{source(cell)}\n```")
            parts += [part for output in cell["outputs"] for part in _rendered(output)]
    return "\n\n".join([parts[0], _LINK.format(name=name), *parts[1:]]) + "\n"


def _rendered(output: Output) -> Iterator[str]:
    if output["output_type"] == "stream":
        yield f"```text\n{''.join(output['text']).rstrip()}\n```"
        return
    data = output["data"]
    if "image/png" in data:
        yield f'<img alt="a figure" src="data:image/png;base64,{data["image/png"]}">'
    elif "image/svg+xml" in data:
        yield f"<div>{_unbroken(data['image/svg+xml'])}</div>"
    elif "text/html" in data:
        yield f"<div>{_unbroken(data['text/html'])}</div>"
    else:
        yield f"```text\n{''.join(data['text/plain'])}\n```"


def _unbroken(text: list[str]) -> str:
    """HTML without empty lines, at which Markdown would take over again."""
    return "\n".join(line.strip() for line in "".join(text).splitlines() if line.strip())


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        text = json.dumps(ran(read(path)), indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")
        print(path.relative_to(FOLDER.parents[1]))


if __name__ == "__main__":
    main()
