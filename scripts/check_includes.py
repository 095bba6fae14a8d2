#!/usr/bin/env python3
"""Checks that modules include only what the dependency table allows, that src/README.md shows that very table, and that
files and functions keep their size budgets.

usage: check_includes.py [ROOT]      (exit status 1 and one line per violation)"""
import re
import sys
from pathlib import Path

# module: (modules it may include, third-party headers it may include)
FMT = r"fmt/"
ALLOWED = {
    "base": ([], [r"pcre2", FMT]),
    "model": (["base"], []),
    "perf": (["base", "model"], [r"perfmon/", FMT]),
    "unwind": (["base", "model"], [r"libunwind", r"elf\.h", r"gelf\.h", r"libelf\.h", r"dwarf\.h", r"elfutils/", r"libdeflate", r"zstd", FMT]),
    "store": (["base", "model"], [r"zstd", FMT]),
    "symbols": (["base", "model", "disasm"], [r"elf\.h", r"gelf\.h", r"libelf\.h", r"dwarf\.h", r"elfutils/", r"lzma", r"zstd", r"libdeflate", FMT]),
    "disasm": (["base", "model"], [r"Zydis/", FMT]),
    "collect": (["base", "model", "perf", "unwind"], [FMT]),
    "analysis": (["base", "model", "symbols", "disasm"], [r"boost/math", FMT]),
    "report": (["base", "model", "analysis"], [FMT, r"nlohmann/"]),
}
# Folders that may use no third-party headers at all: their code is injected into other programs.
ALONE = {"src/unwind/walk"}
# Third-party headers are recognised by these patterns; everything else in <> is the standard library or the system.
THIRD_PARTY = [r"fmt/", r"perfmon/", r"libunwind", r"gelf\.h", r"libelf\.h", r"dwarf\.h", r"elfutils/", r"lzma", r"libdeflate", r"zstd",
               r"boost/", r"nlohmann/", r"pcre2", r"CLI/", r"Zydis/", r"cupti"]
BUDGET = {".cc": 600, ".h": 600}
FUNCTION_BUDGET = 60
FORBIDDEN_FOLDERS = {"common", "util", "utils", "core", "misc", "helpers"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


# What hides braces from the counting: comments, raw strings, strings, character literals, preprocessor lines.
NOT_CODE = re.compile(r'''//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'|'''
                      r'''^[ \t]*#(?:[^\n]*\\\n)*[^\n]*''', re.S | re.M)
SCOPE = re.compile(r"\b(namespace|class|struct|enum|union|extern)\b")


def module_of(rel):
    parts = rel.parts
    return parts[2] if parts[0] == "include" else parts[1] if parts[0] == "src" else None


def long_functions(text):
    """(line, name, length) of each function above the budget; a brace after ')' outside any function opens one."""
    code = NOT_CODE.sub(lambda m: "\n" * m.group().count("\n"), text)
    line, start, name, depth, head, functions = 1, 0, "", 0, "", []
    for char in code:
        if char == "\n":
            line += 1
        if char == "{":
            if depth == 0:
                if ")" in head and not SCOPE.search(head.split("(")[0]):
                    depth, start = 1, line - head.strip().count("\n")
                    name = re.findall(r"[~\w:]+(?=\s*\()", head)[:1]
            else:
                depth += 1
        elif char == "}" and depth > 0:
            depth -= 1
            if depth == 0 and line - start + 1 > FUNCTION_BUDGET:
                functions.append((start, name[0] if name else "?", line - start + 1))
        head = "" if char in "{};" else head + char
    return functions


def check_file(path, rel):
    text = path.read_text()
    lines = text.count("\n")
    if lines > BUDGET[path.suffix]:
        yield f"{rel}: {lines} lines, the budget is {BUDGET[path.suffix]}"
    for line, name, length in long_functions(text):
        yield f"{rel}:{line}: {name} has {length} lines, the budget is {FUNCTION_BUDGET}"
    if FORBIDDEN_FOLDERS & set(rel.parts[:-1]):
        yield f"{rel}: a folder named after nothing"
    module = module_of(rel)
    if module is None:
        return
    if module not in ALLOWED:
        yield f"{rel}: module '{module}' is not in the table"
        return
    modules, third = ALLOWED[module]
    if str(rel.parent) in ALONE:
        third = []
    for kind, name in INCLUDE.findall(text):
        if name.startswith("prof/"):
            other = name.split("/")[1]
            if other != module and other not in modules:
                yield f"{rel}: {module} may not include {name}"
        elif kind == '"' and name.split("/")[0] in ALLOWED and name.split("/")[0] != module:
            yield f"{rel}: private header of another module: {name}"
        elif kind == "<" and any(re.match(p, name) for p in THIRD_PARTY) and not any(re.match(p, name) for p in third):
            yield f"{rel}: {module} may not include <{name}>"


def check_map(root):
    """The table of src/README.md has a row `| module | what it may include | ...` for exactly the modules above."""
    path = root / "src" / "README.md"
    if not path.exists():
        yield "src/README.md: missing"
        return
    rows = {}
    for name, modules in re.findall(r"^\| `(\w+)` \| ([^|]*) \|", path.read_text(), re.M):
        rows[name] = [] if modules.strip() == "-" else [m.strip() for m in modules.split(",")]
    for module in sorted(ALLOWED.keys() | rows.keys()):
        if module not in rows:
            yield f"src/README.md: no row for {module}"
        elif module not in ALLOWED:
            yield f"src/README.md: {module} is not in the table of check_includes.py"
        elif sorted(rows[module]) != sorted(ALLOWED[module][0]):
            yield f"src/README.md: {module} may include {', '.join(ALLOWED[module][0]) or '-'}, the map says otherwise"


def check_tree(root):
    problems = list(check_map(root))
    for folder in ("include", "src", "tools", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in BUDGET:
                problems += check_file(path, path.relative_to(root))
    return problems


def main():
    problems = check_tree(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    print("\n".join(problems) if problems else "includes: no violations")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
