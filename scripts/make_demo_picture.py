"""Draw what `carob demo` prints, as the picture at the top of the README.

python scripts/make_demo_picture.py
"""

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from carob.commands.demo import run_demo
from carob.read.files import whole_file
from carob.show.demo import demo_report
from carob.show.terminal import print_report

TARGET = Path(__file__).parent.parent / "docs" / "demo.svg"


def main() -> None:
    """Record the report and write it as SVG."""
    recorder = Console(record=True, width=80, file=io.StringIO(), highlight=False, markup=False)
    recorder.print(Text("$ carob demo", style="bold green"))
    print_report(demo_report(run_demo()), recorder)
    picture = recorder.export_svg(title="carob demo")
    # rich names a web font; the picture loads nothing and falls back to the reader's own.
    picture = re.sub(r"@font-face\s*{.*?}\s*", "", picture, flags=re.DOTALL)
    with whole_file(TARGET) as file:
        file.write(picture.encode())
    print(f"wrote {TARGET.name}")


if __name__ == "__main__":
    main()
