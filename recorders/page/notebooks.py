"""The notebooks of `docs/notebooks/` as pages of the site: a hook of MkDocs (`mkdocs.yml`), called at each build.

What a notebook shows goes into the page as it is: HTML without script, so that it takes the colours of the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

_TABLE = re.compile(r'<table border="1" class="dataframe">')
_STYLE = re.compile(r"<style.*?</style>", re.S)
_LINK = re.compile(r"(?<=\.)ipynb(?=\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """A page beside each notebook, which stays there to be downloaded."""
    for file in [each for each in files if each.src_uri.endswith(".ipynb")]:
        assert file.abs_src_path is not None
        uri = file.src_uri.removesuffix(".ipynb") + ".md"
        name = file.src_uri.rpartition("/")[2]
        files.append(File.generated(config, uri, content=page(file.abs_src_path, name)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links to notebooks, as the repository has them, lead to their pages."""
    return markdown if page.file.src_uri.startswith("notebooks/") else _LINK.sub("md", markdown)


def page(path: str, name: str) -> str:
    """A notebook as Markdown; below its title a link to the file, named `name`."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    first, *rest = (part for cell in notebook.cells for part in _parts(cell))
    title, _, text = first.partition("\n")
    return "\n\n".join([title, f"[Download this notebook]({name})", text.strip(), *rest]) + "\n"


def _parts(cell: Mapping[str, Any]) -> Iterator[str]:
    """The text of a cell, and what it shows."""
    if cell["cell_type"] == "markdown":
        yield cell["source"]
        return
    yield f"```python\n{cell['source']}\n```"
    for output in cell["outputs"]:
        yield _shown(output)


def _shown(output: Mapping[str, Any]) -> str:
    """An output: its HTML, else its picture, else its text."""
    data = output.get("data", {})
    if "text/html" in data:
        lines = _TABLE.sub("<table>", _STYLE.sub("", data["text/html"])).splitlines()
        return f"<div>{''.join(line.strip() for line in lines)}</div>"  # an empty line would end the block of HTML
    if "image/png" in data:
        return f'<img alt="{escape(data["text/plain"])}" src="data:image/png;base64,{data["image/png"].strip()}">'
    text = output["text"] if output["output_type"] == "stream" else data["text/plain"]
    return f"```text\n{text.rstrip()}\n```"
