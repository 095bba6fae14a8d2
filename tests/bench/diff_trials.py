#!/usr/bin/env python3
"""Are the verdicts of `prof diff` right? Drives the real binary on recordings whose truth is known.

usage: diff_trials.py [PROF] [--thirty FILE] [--cases aa,aa-runs,planted] [options]

  aa       records a program twice, in turn with `perf record`, and compares: every pair with a
           significant row is a false alarm. The bound is what a 5 % test exceeds in 2 % of such
           experiments: 17 of 200. Beside it perf's number: pairs for which `perf diff` shows a row
           that moved by a percentage point or more.
  aa-runs  records a program --pool times, then draws runs against runs from these.
  planted  records a program of 30 functions as it is and with 2, 5 and 20 % of its CPU time more in
           one function, --pool times each in turn, then draws runs against runs, with replacement:
           found is a significant row of that function with the right sign. Its interval should
           hold the truth in 95 % of the trials. The truth is the difference of all recordings
           (which the draws are samples of); it is printed as a share of the total, for it should
           be what was planted.

PROF is $PROF or build/ci/tools/prof/prof; FILE is the workload `thirty_functions` (tests/workloads)
of that build. --program (repeatable) names other commands for aa and aa-runs. Ends with a table for
docs/benchmarks.md. Exit status 1 when there are more false alarms than the bound, a planted change
was found too rarely (80, 99, 100 %), or its interval missed the truth too often.
"""
import argparse
import json
import math
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

PLANTED = ((2, 0.80), (5, 0.99), (20, 1.0))  # percent of the total, share of trials to find
POINT = 1.0  # percentage points that count as a change in perf's output
PERF_DELTA = re.compile(r"([+-]\d+\.\d+)%")


def false_alarm_bound(trials, rate=0.05, tail=0.02):
    """The smallest k that a test of `rate` exceeds in fewer than `tail` of `trials` experiments."""
    probability, below = (1 - rate) ** trials, 0.0
    for k in range(trials + 1):
        below += probability
        if 1 - below < tail:
            return k
        probability *= (trials - k) / (k + 1) * rate / (1 - rate)
    return trials


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if done.returncode != 0:
        sys.exit(f"diff_trials: {shlex.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def record(options, command, path):
    run([options.prof, "record", "-q", "-F", str(options.frequency), "-o", path, "--", *command])
    return path


def record_with_perf(options, command, path):
    run(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(options.frequency), "-o", path, "--",
         *command])
    return path


def compare(options, before, after):
    """The first event of `prof diff` of these files, both lists."""
    found = json.loads(run([options.prof, "diff", "--json", *before, "--", *after]))
    return found["events"][0]


def row_of(event, name):
    """The own amounts of a function; None if it has too few samples."""
    return next((row["self"] for row in event["rows"] if row["sym"] == name), None)


def significant_rows(event):
    return [row for row in event["rows"] if row["self"]["significant"]]


def perf_moved(before, after):
    """Rows of `perf diff` that moved by POINT or more."""
    text = run(["perf", "diff", "-c", "delta-abs", before, after])
    deltas = (PERF_DELTA.search(line) for line in text.splitlines() if not line.startswith("#"))
    return sum(abs(float(delta.group(1))) >= POINT for delta in deltas if delta)


def names_of(rows):
    counted = {}
    for row in rows:
        counted[row["sym"]] = counted.get(row["sym"], 0) + 1
    worst = sorted(counted.items(), key=lambda pair: -pair[1])[:3]
    return ", ".join(f"{name} {n}" for name, n in worst)


class Report:
    """Lines as they come, and the rows of the table at the end."""

    def __init__(self):
        self.rows = []
        self.good = True

    def add(self, case, program, trials, result, bound, good):
        self.good = self.good and good
        self.rows.append((case, program, trials, result, bound))
        print(f"{case}: {program}: {result} of {trials}, {bound}: {'good' if good else 'BAD'}",
              flush=True)

    def table(self):
        lines = ["| case | program | trials | result | must be |", "|---|---|---|---|---|"]
        lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in self.rows]
        return "\n".join(lines)


def name_of(command):
    return f"`{' '.join([os.path.basename(command[0]), *command[1:]])}`"


def aa(options, report, folder):
    for command in options.commands:
        alarms, moved, rows = 0, 0, []
        for trial in range(options.trials):
            paths = []
            for side in ("b", "a"):
                paths.append(record(options, command, f"{folder}/{side}.prof"))
                if options.perf:
                    record_with_perf(options, command, f"{folder}/{side}.perf")
            found = significant_rows(compare(options, paths[:1], paths[1:]))
            alarms += bool(found)
            rows += found
            if options.perf:
                moved += perf_moved(f"{folder}/b.perf", f"{folder}/a.perf") > 0
            if options.verbose:
                print(f"# aa {trial + 1}: {alarms} alarms, perf {moved}", flush=True)
        bound = false_alarm_bound(options.trials)
        perf = f"; perf diff: {moved} with a row of {POINT:g} point or more" if options.perf else ""
        which = f" ({names_of(rows)})" if rows else ""
        report.add("aa, 1 against 1", name_of(command), options.trials,
                   f"{alarms} pairs with a significant row{which}{perf}", f"at most {bound}",
                   alarms <= bound)


def aa_runs(options, report, folder):
    for command in options.commands:
        pool = [record(options, command, f"{folder}/{i}.prof") for i in range(options.pool)]
        for runs in options.runs_a_side:
            alarms, rows = 0, []
            for _ in range(options.trials):
                drawn = options.random.sample(pool, 2 * runs)
                found = significant_rows(compare(options, drawn[:runs], drawn[runs:]))
                alarms += bool(found)
                rows += found
            bound = false_alarm_bound(options.trials)
            which = f" ({names_of(rows)})" if rows else ""
            report.add(f"aa, {runs} against {runs} of {options.pool}", name_of(command),
                       options.trials, f"{alarms} with a significant row{which}",
                       f"at most {bound}", alarms <= bound)


def rounds_for(options, seconds):
    """How many rounds of `thirty_functions` take so many seconds of CPU time here."""
    rounds = 1000
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run([options.thirty, "--rounds", str(rounds)])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime
    return max(1, round(rounds * seconds / max(used, 0.01)))


def planted(options, report, folder):
    rounds = rounds_for(options, options.seconds)
    sizes = [0] + [percent for percent, _ in PLANTED]
    pools = {percent: [] for percent in sizes}
    for i in range(options.pool):
        for percent in sizes:  # in turn, so that all see the same machine
            command = [options.thirty, "--rounds", str(rounds), "--slow-function",
                       str(options.function), "--by", str(percent)]
            pools[percent].append(record(options, command, f"{folder}/{percent}.{i}.prof"))
        if options.verbose:
            print(f"# planted: recorded {i + 1} of {options.pool}", flush=True)
    runs = options.planted_runs
    name = f"function_{options.function:02}"
    for percent, least in PLANTED:
        every = compare(options, pools[0], pools[percent])
        truth = row_of(every, name)["delta"]
        share = 100 * truth / every["before"]["mean"]
        right, covered, others = 0, 0, 0
        for _ in range(options.planted_trials):
            event = compare(options, options.random.choices(pools[0], k=runs),
                            options.random.choices(pools[percent], k=runs))
            row = row_of(event, name)
            right += row is not None and row["significant"] and row["delta"] > 0
            others += any(other["sym"] != name for other in significant_rows(event))
            interval = row["test"]["interval"] if row and row["test"] else None  # [low, high]
            covered += interval is not None and interval[0] <= truth <= interval[1]
        trials = options.planted_trials
        missed = trials - covered
        bound = false_alarm_bound(trials)
        report.add(f"planted +{percent} %, {runs} against {runs} of {options.pool}",
                   f"`{name}`, {options.seconds:g} s a run, truth {share:+.2f} %", trials,
                   f"found {right}; interval missed the truth {missed} times; another function "
                   f"significant {others} times",
                   f"found at least {math.ceil(least * trials)}, missed at most {bound}",
                   right >= least * trials and missed <= bound)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("prof", nargs="?",
                        default=os.environ.get("PROF", "build/ci/tools/prof/prof"))
    parser.add_argument("--thirty", default="build/ci/tests/workloads/thirty_functions")
    parser.add_argument("--cases", default="aa,aa-runs,planted")
    parser.add_argument("--program", action="append", default=[], metavar="COMMAND",
                        help="of aa and aa-runs; default thirty_functions for --aa-seconds")
    parser.add_argument("--trials", type=int, default=200, help="of aa and aa-runs, each program")
    parser.add_argument("--aa-seconds", type=float, default=2, help="CPU time of a run of aa")
    parser.add_argument("--runs", default="2,3,5,10", help="runs a side of aa-runs")
    parser.add_argument("--pool", type=int, default=24, help="recordings that runs are drawn from")
    parser.add_argument("--planted-trials", type=int, default=200)
    parser.add_argument("--planted-runs", type=int, default=10, help="runs a side of planted")
    parser.add_argument("--seconds", type=float, default=10, help="CPU time of a run of planted")
    parser.add_argument("--function", type=int, default=7, help="the one that is made slower")
    parser.add_argument("--frequency", "-F", type=int, default=997)
    parser.add_argument("--no-perf", dest="perf", action="store_false")
    parser.add_argument("--verbose", action="store_true", help="each trial as it comes")
    options = parser.parse_args()
    for path in (options.prof, options.thirty):
        if not os.access(path, os.X_OK):
            parser.error(f"{path} is no program: build prof and its workloads, or name them")
    options.prof = os.path.abspath(options.prof)
    options.thirty = os.path.abspath(options.thirty)
    options.perf = options.perf and shutil.which("perf") is not None
    options.runs_a_side = [int(runs) for runs in options.runs.split(",")]
    if 2 * max(options.runs_a_side) > options.pool or options.planted_runs > options.pool:
        parser.error(f"--pool {options.pool} is too small to draw so many runs from")
    options.commands = [shlex.split(program) for program in options.program]
    if not options.commands:
        rounds = rounds_for(options, options.aa_seconds)
        options.commands = [[options.thirty, "--rounds", str(rounds)]]
    options.random = random.Random(20260101)
    return options


def main():
    options = arguments()
    cases = {"aa": aa, "aa-runs": aa_runs, "planted": planted}
    wanted = options.cases.split(",")
    for name in wanted:
        if name not in cases:
            sys.exit(f"diff_trials: no case '{name}': {', '.join(cases)}")
    report = Report()
    for name in wanted:
        with tempfile.TemporaryDirectory(prefix="diff_trials.") as folder:
            cases[name](options, report, folder)
    print(f"\nload at the end {os.getloadavg()[0]:.1f}\n\n{report.table()}")
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
