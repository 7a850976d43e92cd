"""Print the table of speed.py twice, in one run: for another commit and for this tree.

    SKRESP_DATA=... python benchmarks/speed_against.py REVISION [--only WORD ...]
        [--repeats 5]

Each part of the table is measured with the package as it is at REVISION and then with
that of this tree, by the script of this tree, before the next part begins. "-" stands
for a figure that the other commit cannot give.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: The parts that an older commit can run; the others are for this tree only.
PARTS = (
    "explain and verify",
    "attributions",
    "one person",
    "lines",
    "mixed",
    "scorer",
    "jobs",
    "imports",
)
_FIGURE = re.compile(
    r"^(?P<name>\S.*?) {2,}(?P<value>-?[\d.]+) *(?P<unit>ms|s|%)?"
    r" *(?P<goal>  goal .*)?$"
)


def figures(text):
    """Return the figures that speed.py has printed: name to value, unit and goal."""
    found = {}
    for line in text.splitlines():
        if match := _FIGURE.match(line):
            goal = (match["goal"] or "").strip().removesuffix("missed").strip()
            found[match["name"]] = (match["value"], match["unit"] or "", goal)
    return found


def measured(tree, part, repeats):
    """Return the figures of one part with the package of a folder."""
    done = subprocess.run(
        [sys.executable, HERE / "speed.py", "--only", part, "--repeats", str(repeats)],
        env={**os.environ, "PYTHONPATH": str(tree)},
        cwd=tree,
        check=False,  # an older commit may not have all that a part uses
        stdout=subprocess.PIPE,
        text=True,
    )
    return figures(done.stdout)


def print_part(part, before, after):
    """Print the figures of both sides, with their goals."""
    print(f"\n{part}{'before':>{72 - len(part)}}{'after':>12}")
    for name, (value, unit, goal) in after.items():
        earlier = before.get(name, ("-", "", ""))[0]
        print(f"{name:62}{earlier:>10}{value:>12} {unit:4}{goal}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pack = ["git", "archive", "--format=tar", args.revision, "skresp"]
        packed = subprocess.run(pack, cwd=HERE.parent, check=True, capture_output=True)
        unpack = ["tar", "--extract", "--directory", folder]
        subprocess.run(unpack, input=packed.stdout, check=True)
        for part in PARTS:
            if any(word in part for word in args.only):
                before = measured(folder, part, args.repeats)
                print_part(part, before, measured(HERE.parent, part, args.repeats))


if __name__ == "__main__":
    main()
