#!/usr/bin/env python3
"""Are the verdicts of `prof stat --vs` right? Drives the real binary on commands whose truth is known.

usage: stat_verdicts.py [PROF] [--steps FILE] [--cases same,planted,hog] [options]

  same     compares a command with itself: every "faster" or "slower" is a false alarm. The bound is
           what a 5 % test exceeds in 2 % of such experiments: 17 of 200.
  planted  compares `steps N` with `steps 1.03 N` under -r auto: "slower" is right, "faster" is
           wrong, and the interval of the ratio should hold 1.03 in 95 % of the comparisons.
  hog      the same while a busy loop keeps the last CPU occupied.

PROF is $PROF or build/ci/tools/prof/prof; FILE is the workload `steps` (tests/workloads) of that
build. Besides the headline (elapsed time) it shows the same of task-clock, which other programs
disturb far less. Exit status 1 when there are more false alarms than the bound, a slower command
was called faster more often than chance does (2.5 % where nothing can be told), or task-clock
missed more than a fifth of the planted slowdowns.
"""
import argparse
import contextlib
import json
import math
import os
import subprocess
import sys
import time

HEADLINE = "time elapsed"
CPU_TIME = "task-clock"
SHOWN = (HEADLINE, CPU_TIME)


def false_alarm_bound(trials, rate=0.05, tail=0.02):
    """The smallest k that a test of `rate` exceeds in fewer than `tail` of `trials` experiments."""
    probability, below = (1 - rate) ** trials, 0.0
    for k in range(trials + 1):
        below += probability
        if 1 - below < tail:
            return k
        probability *= (trials - k) / (k + 1) * rate / (1 - rate)
    return trials


def compare(prof, repeats, a, b):
    """The `comparison` object of `prof stat --vs a -- b`."""
    command = [prof, "stat", "-j", "-e", "task-clock", *repeats, "--vs", a, "--", *b.split()]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    objects = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    found = [entry for entry in objects if entry.get("prof") == "comparison"]
    if done.returncode != 0 or len(found) != 1:
        sys.exit(f"stat_verdicts: {command} ended with {done.returncode}:\n{done.stderr}")
    return found[0]


class Tally:
    """Verdicts and ratios of one quantity over many comparisons."""

    def __init__(self, name):
        self.name = name
        self.verdicts = {}
        self.ratios = []
        self.runs = []

    def add(self, comparison):
        for quantity in comparison["quantities"]:
            if quantity["name"] == self.name:
                verdict = quantity["verdict"]
                self.verdicts[verdict] = self.verdicts.get(verdict, 0) + 1
                self.runs.append(quantity["a"]["n"])
                if "ratio" in quantity:
                    self.ratios.append(quantity["ratio"])

    def count(self, *verdicts):
        return sum(self.verdicts.get(verdict, 0) for verdict in verdicts)

    def words(self):
        return ", ".join(f"{verdict} {n}" for verdict, n in sorted(self.verdicts.items()))

    def containing(self, truth):
        return sum(ratio["low"] <= truth <= ratio["high"] for ratio in self.ratios)

    def median_ratio(self):
        values = sorted(ratio["estimate"] for ratio in self.ratios)
        return values[len(values) // 2] if values else math.nan


def run_comparisons(options, repeats, a, b, trials, label):
    tallies = [Tally(name) for name in SHOWN]
    started = time.monotonic()
    for at in range(trials):
        comparison = compare(options.prof, repeats, a, b)
        for tally in tallies:
            tally.add(comparison)
        if options.verbose:
            print(f"# {label} {at + 1}: {comparison['verdict']}", flush=True)
    load = os.getloadavg()[0]
    print(f"{label}: {trials} comparisons of `{b}` against `{a}`, {' '.join(repeats)}; "
          f"{time.monotonic() - started:.0f} s, load at the end {load:.1f}")
    return tallies


def same(options):
    command = f"{options.steps} {options.same_thousands}"
    tallies = run_comparisons(options, ["-r", str(options.runs)], command, command,
                              options.trials, "same")
    bound = false_alarm_bound(options.trials)
    good = True
    for tally in tallies:
        alarms = tally.count("lower", "higher")
        good = good and alarms <= bound
        print(f"  {tally.name}: {alarms} false alarms, at most {bound} with a 5 % test: "
              f"{'within' if alarms <= bound else 'OUTSIDE'} ({tally.words()}; ratio 1 in the "
              f"interval of {tally.containing(1)} of {len(tally.ratios)})")
    return good


def planted(options, label="planted"):
    a = f"{options.steps} {options.thousands}"
    b = f"{options.steps} {options.thousands * 103 // 100}"
    repeats = ["-r", "auto", "--max-time", str(options.max_time)]
    tallies = run_comparisons(options, repeats, a, b, options.planted_trials, label)
    good = True
    for tally in tallies:
        found, flipped = tally.count("higher"), tally.count("lower")
        good = good and flipped <= false_alarm_bound(options.planted_trials, 0.025)
        if tally.name == CPU_TIME:
            good = good and found >= 0.8 * options.planted_trials
        runs = sorted(tally.runs)
        print(f"  {tally.name}: slower {found}, faster {flipped} ({tally.words()}); median estimate "
              f"{100 * (tally.median_ratio() - 1):+.2f} %, +3 % in the interval of "
              f"{tally.containing(1.03)} of {len(tally.ratios)}; {runs[0]} to {runs[-1]} runs")
    return good


@contextlib.contextmanager
def hog_on_last_cpu():
    """A busy loop that never leaves the last CPU this process may use."""
    cpu = max(os.sched_getaffinity(0))
    code = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def hog(options):
    with hog_on_last_cpu():
        return planted(options, "hog")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("prof", nargs="?",
                        default=os.environ.get("PROF", "build/ci/tools/prof/prof"))
    parser.add_argument("--steps", default="build/ci/tests/workloads/steps")
    parser.add_argument("--cases", default="same,planted,hog")
    parser.add_argument("--trials", type=int, default=200, help="comparisons of `same`")
    parser.add_argument("--runs", type=int, default=10, help="runs per side of `same`")
    parser.add_argument("--same-thousands", type=int, default=1000, help="steps of `same`")
    parser.add_argument("--planted-trials", type=int, default=20)
    parser.add_argument("--thousands", type=int, default=20000, help="steps of `planted`")
    parser.add_argument("--max-time", type=float, default=60, help="seconds per comparison")
    parser.add_argument("--verbose", action="store_true", help="each verdict as it comes")
    options = parser.parse_args()
    for path in (options.prof, options.steps):
        if not os.access(path, os.X_OK):
            parser.error(f"{path} is no program: build prof and its workloads, or name them")
    options.steps = os.path.abspath(options.steps)
    return options


def main():
    options = arguments()
    cases = {"same": same, "planted": planted, "hog": hog}
    wanted = options.cases.split(",")
    for name in wanted:
        if name not in cases:
            sys.exit(f"stat_verdicts: no case '{name}': {', '.join(cases)}")
    results = [cases[name](options) for name in wanted]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
