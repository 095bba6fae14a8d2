#!/usr/bin/env python3
"""What `prof stat` costs, beside the bare program and `perf stat`; everything in turn.

usage: stat_cost.py [PROF] [--cases fixed,interval] [--steps FILE] [options]

  fixed     wall and CPU milliseconds of `prof stat true` and others above bare `true` (medians);
            the start of a process in this script is in all of them alike.
  interval  user+system time of a CPU-bound target with `-I 100`, over bare (median of the ratios
            of one round, and their quartiles), and the CPU milliseconds of the tool itself.

PROF is $PROF or build/release/tools/prof/prof: measure a release build, stripped or not. FILE is
the workload `steps` of tests/workloads. Without perf its lines are left out.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Runs its arguments after the first, and writes their user+system seconds into that file: the
# target's own time, without that of the tool around it.
METER = ("import os,sys\n"
         "child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)\n"
         "usage = os.wait4(child, 0)[2]\n"
         "open(sys.argv[1], 'w').write(repr(usage.ru_utime + usage.ru_stime))\n")


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command):
    """Wall and CPU seconds of a command and its descendants."""
    cpu, wall = children_cpu(), time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - wall, children_cpu() - cpu


def with_perf(commands, command):
    return commands | {"perf stat": command} if shutil.which("perf") else commands


def fixed(options):
    prof = options.prof
    commands = with_perf({"bare true": ["true"], "prof --version": [prof, "--version"],
                          "prof stat -n true": [prof, "stat", "-n", "true"],
                          "prof stat true": [prof, "stat", "true"]},
                         ["perf", "stat", "true"])
    times = {name: [] for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            times[name].append(timed(command))
    print(f"fixed: medians of {options.rounds} rounds, load {os.getloadavg()[0]:.1f}")
    middle = {name: [1e3 * statistics.median(column) for column in zip(*values)]
              for name, values in times.items()}
    bare = middle["bare true"]
    for name, (wall, cpu) in middle.items():
        print(f"  {name:18} wall {wall:6.2f} ms, CPU {cpu:6.2f} ms; above bare: "
              f"{wall - bare[0]:6.2f} and {cpu - bare[1]:6.2f} ms")
    if "perf stat" in middle:
        share = [(middle["prof stat true"][at] - bare[at]) / (middle["perf stat"][at] - bare[at])
                 for at in range(2)]
        print(f"  prof's cost over perf's: wall {share[0]:.2f}, CPU {share[1]:.2f}")


def interval(options):
    with tempfile.TemporaryDirectory() as folder:
        note = os.path.join(folder, "seconds")
        target = [sys.executable, "-S", "-c", METER, note, options.steps, str(options.thousands)]
        counted = ["stat", "-I", "100", "-o", os.devnull, "--", *target]
        commands = with_perf({"bare": target, "prof stat": [options.prof, *counted]},
                             ["perf", *counted])
        target_cpu = {name: [] for name in commands}
        own_cpu = {name: [] for name in commands}
        for _ in range(options.interval_rounds):
            meter = 0.0  # what the interpreter around the target costs
            for name, command in commands.items():
                cpu = timed(command)[1]
                with open(note, encoding="ascii") as file:
                    target_cpu[name].append(float(file.read()))
                # perf does not wait for the command with -I: its own time is all there is then.
                waited_for = cpu > target_cpu[name][-1]
                own_cpu[name].append(cpu - target_cpu[name][-1] - meter if waited_for else cpu)
                if name == "bare":
                    meter = own_cpu[name][-1]
    print(f"interval: {options.interval_rounds} rounds of `steps {options.thousands}` with -I 100, "
          f"{statistics.median(target_cpu['bare']):.2f} s each, load {os.getloadavg()[0]:.1f}")
    for name, values in target_cpu.items():
        if name == "bare":
            continue
        ratios = [value / bare for value, bare in zip(values, target_cpu["bare"])]
        low, middle, high = statistics.quantiles(ratios, n=4)
        own = 1e3 * statistics.median(own_cpu[name])
        print(f"  {name}: target's CPU over bare {middle:.4f} (quartiles {low:.4f} to {high:.4f}), "
              f"the tool's own CPU {own:.1f} ms")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("prof", nargs="?",
                        default=os.environ.get("PROF", "build/release/tools/prof/prof"))
    parser.add_argument("--cases", default="fixed,interval")
    parser.add_argument("--steps", default="build/ci/tests/workloads/steps")
    parser.add_argument("--rounds", type=int, default=80, help="of fixed")
    parser.add_argument("--interval-rounds", type=int, default=15)
    parser.add_argument("--thousands", type=int, default=2000000, help="steps of interval")
    options = parser.parse_args()
    for path in (options.prof, options.steps):
        if not os.access(path, os.X_OK):
            parser.error(f"{path} is no program: build prof and its workloads, or name them")
    return options


def main():
    options = arguments()
    cases = {"fixed": fixed, "interval": interval}
    for name in options.cases.split(","):
        if name not in cases:
            sys.exit(f"stat_cost: no case '{name}': {', '.join(cases)}")
        cases[name](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
