#!/usr/bin/env python3
"""Compares what prof and perf say of the same program: self share of the top symbols, and complete stacks.

usage: compare_perf.py [-F HZ] [-n ROUNDS] [--top N] -- COMMAND...
Runs COMMAND under both in turn, ROUNDS times each, adds the rounds up, and prints one line per symbol of perf's top N: both
shares, their difference, and the difference in standard errors (of two binomial shares). A line is marked when it is above
2 points and above 3 standard errors. The exit status is 1 when any is. PROF and PERF name the binaries."""
import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile

PROF = os.environ.get("PROF", "prof")
PERF = os.environ.get("PERF", "perf")


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", **options).stdout


def normalize(symbol):
    """perf prints C++ names with parameters and versions that prof may print differently."""
    symbol = re.sub(r"@+[A-Z][\w.]*$", "", symbol).removeprefix("void ")
    return re.sub(r"\(.*", "", symbol).strip()


def perf_rows(file):
    rows = collections.Counter()
    out = run(PERF, "report", "--stdio", "-i", file, "--no-children", "-g", "none", "-n", "-t", "|", "-s", "dso,sym", "--no-inline")
    for line in out.splitlines():
        fields = [f.strip() for f in line.split("|")]
        if line.startswith("#") or len(fields) < 4:
            continue
        dso, symbol = fields[2], fields[3].split(None, 1)
        name = normalize(symbol[1]) if len(symbol) > 1 else ""
        rows[("[unknown]" if name.startswith("0x") else name, dso)] += int(fields[1])
    return rows


def prof_rows(file):
    rows = collections.Counter()
    out = run(PROF, "report", "-i", file, "--no-children", "-g", "none", "--json", "-s", "dso,sym", "--no-inline")
    for table in json.loads(out)["tables"]:
        for row in table["rows"]:
            name = normalize(row["sym"])
            rows[("[unknown]" if name.startswith("0x") else name, row["dso"])] += row["self_samples"]
    return rows


def record(tool, mode, options, command, file):
    run(tool, "record", "-F", str(options.freq), *mode, "-o", file, "--", *command)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-F", dest="freq", type=int, default=999)
    parser.add_argument("-n", dest="rounds", type=int, default=3)
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    perf, prof = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            record(PERF, [], options, command, folder + "/perf.data")
            record(PROF, ["-g"], options, command, folder + "/prof.data")
            perf += perf_rows(folder + "/perf.data")
            prof += prof_rows(folder + "/prof.data")
    n_perf, n_prof = sum(perf.values()), sum(prof.values())
    print(f"samples: perf {n_perf}, prof {n_prof}")
    bad = 0
    for key, count in perf.most_common(options.top):
        a, b = count / n_perf, prof[key] / n_prof
        error = math.sqrt(a * (1 - a) / n_perf + b * (1 - b) / n_prof) or 1e-9
        wrong = abs(a - b) > 0.02 and abs(a - b) > 3 * error
        bad += wrong
        print(f"{100 * a:6.2f} {100 * b:6.2f} {100 * (b - a):+6.2f} {(b - a) / error:+5.1f}{' !' if wrong else '  '} {key[1]:24.24} {key[0][:70]}")
    print(f"{bad} of {min(options.top, len(perf))} rows differ by more than 2 points and 3 standard errors")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
