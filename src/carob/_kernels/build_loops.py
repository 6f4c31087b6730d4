"""How `loops.c` is compiled, when carob is installed: what its functions are, by cffi."""

from __future__ import annotations

import sys
from pathlib import Path

from cffi import FFI

_HERE = Path(__file__).parent
_MICROSOFT = sys.platform == "win32"

ffi = FFI()
ffi.cdef((_HERE / "loops.h").read_text(encoding="ascii"))
ffi.set_source(
    "carob._kernels._loops",
    '#include "loops.c"',
    include_dirs=[str(_HERE)],
    depends=[str(_HERE / "loops.c"), str(_HERE / "loops.h")],
    # A product and a sum are rounded one after the other on every processor, so that all give the same bits.
    extra_compile_args=["/O2", "/fp:precise"] if _MICROSOFT else ["-O3", "-ffp-contract=off"],
    libraries=[] if _MICROSOFT else ["m"],
)
