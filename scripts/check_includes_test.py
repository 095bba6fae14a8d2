#!/usr/bin/env python3
"""Tests check_includes.py on small made-up trees.

usage: check_includes_test.py"""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_includes


def map_text(changed=None):
    rows = {name: modules for name, (modules, _) in check_includes.ALLOWED.items()} | (changed or {})
    return "".join(f"| `{name}` | {', '.join(modules) or '-'} | x |\n" for name, modules in rows.items())


class CheckIncludesTest(unittest.TestCase):
    def problems(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in ({"src/README.md": map_text()} | files).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check_includes.check_tree(root)

    def test_allows_what_the_table_allows(self):
        text = '#include <vector>\n#include <libelf.h>\n#include "prof/model/stack.h"\n#include "unwind/walk.h"\n'
        self.assertEqual(self.problems({"src/unwind/walk.cc": text}), [])

    def test_refuses_a_module_outside_the_table(self):
        self.assertEqual(self.problems({"include/prof/model/x.h": '#include "prof/store/reader.h"\n'}),
                         ["include/prof/model/x.h: model may not include prof/store/reader.h"])

    def test_refuses_a_private_header_of_another_module(self):
        self.assertEqual(self.problems({"src/analysis/x.cc": '#include "symbols/elf.h"\n'}),
                         ["src/analysis/x.cc: private header of another module: symbols/elf.h"])

    def test_refuses_a_library_that_the_module_may_not_use(self):
        self.assertEqual(self.problems({"src/store/x.cc": "#include <elfutils/libdw.h>\n"}),
                         ["src/store/x.cc: store may not include <elfutils/libdw.h>"])

    def test_refuses_any_library_in_code_that_is_injected(self):
        self.assertEqual(self.problems({"src/unwind/walk/x.cc": "#include <libelf.h>\n"}),
                         ["src/unwind/walk/x.cc: unwind may not include <libelf.h>"])

    def test_refuses_an_unknown_module_and_a_folder_named_after_nothing(self):
        self.assertEqual(self.problems({"src/extra/util/x.cc": "\n"}),
                         ["src/extra/util/x.cc: a folder named after nothing",
                          "src/extra/util/x.cc: module 'extra' is not in the table"])

    def test_refuses_long_files(self):
        self.assertEqual(self.problems({"tools/prof/x.cc": "\n" * 601}),
                         ["tools/prof/x.cc: 601 lines, the budget is 600"])

    def test_refuses_long_functions_wherever_they_are(self):
        body = "  f('{');  // }\n" * 60
        free = "namespace a {\nint Free(\n    int x) {\n" + body + "}\n}\n"
        member = "struct S {\n  S() : a_(1) {\n" + body + "  }\n};\n"
        self.assertEqual(self.problems({"src/base/x.cc": free + member}),
                         ["src/base/x.cc:2: Free has 63 lines, the budget is 60",
                          "src/base/x.cc:67: S has 62 lines, the budget is 60"])

    def test_counts_functions_not_what_surrounds_them(self):
        one = "int F() {\n" + "  if (x) { y(\"}\"); }\n" * 57 + "}\n"
        table = "constexpr int kTable[] = {\n" + "  1,\n" * 90 + "};\n"
        macro = "#define M(x) \\\n  { \\\n  (x)\n"
        self.assertEqual(self.problems({"src/base/x.cc": "namespace a {\n" + macro + one * 3 + table + "}\n"}), [])

    def test_compares_the_map_with_the_table(self):
        files = {"src/README.md": map_text({"store": ["base"], "extra": []})}
        self.assertEqual(self.problems(files),
                         ["src/README.md: extra is not in the table of check_includes.py",
                          "src/README.md: store may include base, model, the map says otherwise"])


if __name__ == "__main__":
    unittest.main()
