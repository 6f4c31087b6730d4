"""How the site is built: `make docs`. Its pictures are drawn anew each time, by carob, from the files in examples/."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
os.chdir(HERE.parent)  # where examples/ is
sys.path.insert(0, str(HERE))

from pictures import draw  # noqa: E402

import carob  # noqa: E402

project = "carob"
version = release = carob.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "carob"
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository, such as bench/pick.py
autodoc_typehints = "none"  # the docstrings say it
autodoc_member_order = "bysource"
napoleon_use_rtype = False

draw(HERE / "_pictures")
