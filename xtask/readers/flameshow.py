"""flameshow, a terminal of its own: python flameshow.py <directory for screens> <profile> .."""

import asyncio
import io
import json
import os
import re
import sys

from flamegraph_textual.parsers import parse
from flamegraph_textual.render import FlameshowApp
from rich.console import Console

# Wide, so that names are there in full.
SIZE = (400, 100)
# A frame's left edge, before its name; and what scroll bars are made of.
EDGE = "▏"
BARS = re.compile("[▀-▎▐-▟]")


async def screen(path):
    """The text of the first screen, and the same as a picture."""
    with open(path, "rb") as file:
        profile = parse(file.read(), os.path.basename(path))
    app = FlameshowApp(profile)
    async with app.run_test(size=SIZE) as pilot:
        # Until all that was to be done is done.
        await pilot.pause()
        width, height = app.size
        console = Console(width=width, height=height, file=io.StringIO(), force_terminal=True, record=True)
        console.print(app.screen._compositor.render_update(full=True))
        return console.export_text(clear=False), console.export_svg(title="flameshow")


def look(directory, path):
    name = os.path.basename(path).removesuffix(".pb.gz")
    answer = dict(profile=name, page="screen", kind=None, total=None, rows=[], text="", faults=[])
    try:
        text, picture = asyncio.run(screen(path))
    except BaseException as error:  # whatever it is: a person would see no profile
        answer["faults"].append(f"{type(error).__name__}: {error}")
        return answer
    file = os.path.join(directory, f"flameshow-{name}.svg")
    with open(file, "w") as out:
        out.write(picture)
    kind = re.search(r": \((\w+), (\w+)\)", text)
    total = re.search(r"│ Total +Self +│.*\n│ (\S+) ", text)
    # The frame called root is the reader's own.
    names = [part.strip() for line in text.splitlines() for part in BARS.sub(" ", line).split(EDGE)[1:]]
    rows = [dict(name=part, own=None) for part in names if part and not "root".startswith(part)]
    return answer | dict(kind=kind and kind[1], total=total and total[1], rows=rows, text=text)


def main():
    directory, *paths = sys.argv[1:]
    answers = [look(directory, path) for path in paths]
    json.dump(answers, sys.__stdout__)


main()
