#!/usr/bin/env python3
"""Checks that modules include only what the dependency table allows, and that files keep their size budget.

usage: check_includes.py      (exit status 1 and one line per violation)"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# module: (modules it may include, third-party headers it may include)
FMT = r"fmt/"
ALLOWED = {
    "base": ([], [FMT]),
    "model": (["base"], []),
    "perf": (["base", "model"], [r"perfmon/", FMT]),
    "unwind": (["base", "model"], [r"libunwind", r"elf\.h", r"gelf\.h", r"libelf\.h", r"dwarf\.h", r"elfutils/", FMT]),
    "store": (["base", "model"], [r"zstd", FMT]),
    "symbols": (["base", "model"], [r"elf\.h", r"gelf\.h", r"libelf\.h", r"dwarf\.h", r"elfutils/", r"lzma", r"zstd", FMT]),
    "collect": (["base", "model", "perf", "unwind"], [FMT]),
    "analysis": (["base", "model", "symbols"], [r"boost/math", FMT]),
    "report": (["base", "model", "analysis"], [FMT, r"nlohmann/"]),
}
# Third-party headers are recognised by these patterns; everything else in <> is the standard library or the system.
THIRD_PARTY = [r"fmt/", r"perfmon/", r"libunwind", r"gelf\.h", r"libelf\.h", r"dwarf\.h", r"elfutils/", r"lzma", r"zstd",
               r"boost/", r"nlohmann/", r"CLI/", r"Zydis/", r"cupti"]
BUDGET = {".cc": 600, ".h": 600}
FORBIDDEN_FOLDERS = {"common", "util", "utils", "core", "misc", "helpers"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def module_of(path):
    parts = path.relative_to(ROOT).parts
    return parts[2] if parts[0] == "include" else parts[1] if parts[0] == "src" else None


def check(path):
    text = path.read_text()
    rel = path.relative_to(ROOT)
    lines = text.count("\n")
    if lines > BUDGET[path.suffix]:
        yield f"{rel}: {lines} lines, the budget is {BUDGET[path.suffix]}"
    if FORBIDDEN_FOLDERS & set(rel.parts[:-1]):
        yield f"{rel}: a folder named after nothing"
    module = module_of(path)
    if module is None:
        return
    if module not in ALLOWED:
        yield f"{rel}: module '{module}' is not in the table"
        return
    modules, third = ALLOWED[module]
    for kind, name in INCLUDE.findall(text):
        if name.startswith("prof/"):
            other = name.split("/")[1]
            if other != module and other not in modules:
                yield f"{rel}: {module} may not include {name}"
        elif kind == '"' and name.split("/")[0] in ALLOWED and name.split("/")[0] != module:
            yield f"{rel}: private header of another module: {name}"
        elif kind == "<" and any(re.match(p, name) for p in THIRD_PARTY) and not any(re.match(p, name) for p in third):
            yield f"{rel}: {module} may not include <{name}>"


def main():
    problems = []
    for folder in ("include", "src", "tools", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in BUDGET:
                problems += check(path)
    print("\n".join(problems) if problems else "includes: no violations")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
