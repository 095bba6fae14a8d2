#!/usr/bin/env python3
"""Runs the command in the first line of each tests/golden/*.txt and writes its output below that line.

usage: regen_golden.py PROF [NAME...]     (PROF: the binary; NAME: only these files, without .txt)
A new case is a new file with nothing but its command line, e.g. "$ prof report -i climb.prof -n"."""
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    prof = str(Path(sys.argv[1]).resolve())
    for file in sorted((TESTS / "golden").glob("*.txt")):
        if len(sys.argv) > 2 and file.stem not in sys.argv[2:]:
            continue
        line = file.read_text().split("\n", 1)[0]
        words = line.split()
        if words[:2] != ["$", "prof"]:
            sys.exit(f"{file}: the first line is no command line")
        result = subprocess.run([prof, *words[2:]], cwd=TESTS / "data" / "golden", stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, text=True, check=True)
        file.write_text(f"{line}\n{result.stdout}")
    print("look at the difference before you commit it: git diff tests/golden")


if __name__ == "__main__":
    main()
