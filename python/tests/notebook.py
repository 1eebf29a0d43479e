"""Runs the notebook of the examples, which PythonExamplesTest does, and prints what its cells have printed and drawn."""

import nbclient
import nbformat

from .test_schemas import ROOT

notebook = nbformat.read(ROOT / "examples" / "python" / "notebook.ipynb", as_version=4)
nbformat.validate(notebook)
nbclient.NotebookClient(notebook, timeout=100).execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        print(output.get("text", sorted(output.get("data", {}))))
