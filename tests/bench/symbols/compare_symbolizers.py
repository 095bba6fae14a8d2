#!/usr/bin/env python3
"""Compares symbolize_addresses with llvm-symbolizer and addr2line on one ELF file: time, memory, answers.

usage: compare_symbolizers.py PROGRAM ELF [-n ADDRESSES] [-r ROUNDS] [--show DIFFERENCES] [--tools prof,llvm,addr2line]
Every tool is a cold process that reads all addresses from a file; the tools run in turn, medians are printed.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time


def run(command, addresses, output):
    with open(addresses, "rb") as stdin, open(output, "wb") as stdout:
        start = time.monotonic()
        child = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command[0]} failed with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024


def chains(path):
    """One list of (function, file:line) for each address."""
    with open(path, encoding="utf-8", errors="replace") as text:
        for block in text.read().split("\n\n"):
            lines = block.split("\n")
            if len(lines) >= 2:
                yield [(lines[i], normal(lines[i + 1].rsplit(":", 1)[0])) for i in range(0, len(lines) - 1, 2)]


def normal(position):
    file, _, line = position.rpartition(":")
    return (os.path.normpath(file) if line != "0" else "??") + ":" + line


def same_position(ours, peer):
    """The peer puts a relative compilation folder before files that already start at the source root."""
    return ours == peer or (not ours.startswith("/") and peer.endswith("/" + ours))


def same_name(ours, peer, symbols):
    """The symbol table has several names for one function (constructors C1 and C2). The peer prints functions without
    a linkage name bare, prof with their scope or as the symbol table calls the copy that was not inlined."""
    return (ours == peer or symbols.get(ours, "?") == symbols.get(peer) or ours.endswith("::" + peer)
            or (ours.startswith("_Z") and str(len(peer)) + peer in ours))


def symbol_addresses(elf):
    rows = subprocess.run(["nm", elf], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {fields[2]: fields[0] for fields in map(str.split, rows) if len(fields) == 3}


def agreement(ours, peers, addresses, symbols, show):
    total = length = lines = names = frames = same_frames = 0
    for address, a, b in zip(addresses, ours, peers):
        total += 1
        length += len(a) == len(b)
        same = len(a) == len(b) and all(same_position(x[1], y[1]) for x, y in zip(a, b))
        lines += same
        frames += len(b)
        if len(a) == len(b):
            equal = [same_name(x[0], y[0], symbols) for x, y in zip(a, b)]
            same_frames += sum(equal)
            names += all(equal)
            same = same and all(equal)
        if not same and show > 0:
            show -= 1
            print(f"{address}\n  prof {a}\n  llvm {b}")
    print(f"{total} addresses, {frames} frames: same chain length {100 * length / total:.2f} %, "
          f"same file:line chain {100 * lines / total:.2f} %, same names {100 * names / total:.2f} % of chains, "
          f"{100 * same_frames / frames:.2f} % of frames")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("elf")
    parser.add_argument("-n", type=int, default=10000)
    parser.add_argument("-r", type=int, default=5)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--tools", default="prof,llvm,addr2line")
    args = parser.parse_args()
    llvm = shutil.which("llvm-symbolizer-14") or "llvm-symbolizer"
    commands = {"prof": [args.program, args.elf],
                "llvm": [llvm, "--obj=" + args.elf, "--no-demangle"],
                "addr2line": ["addr2line", "-ife", args.elf]}
    with tempfile.TemporaryDirectory() as folder:
        addresses = os.path.join(folder, "addresses")
        with open(addresses, "wb") as out:
            subprocess.run([args.program, "--choose", str(args.n), args.elf], stdout=out, check=True)
        tools = args.tools.split(",")
        results = {tool: [] for tool in tools}
        for _ in range(args.r):
            for tool in tools:
                results[tool].append(run(commands[tool], addresses, os.path.join(folder, tool)))
        print(f"{args.elf}, {args.n} addresses, medians of {args.r} rounds")
        for tool in tools:
            cpu, wall, rss = (statistics.median(column) for column in zip(*results[tool]))
            print(f"  {tool:10} cpu {cpu:7.3f} s  wall {wall:7.3f} s  memory {rss:5.0f} MB")
        if "prof" in tools and "llvm" in tools:
            with open(addresses, encoding="ascii") as lines:
                agreement(chains(os.path.join(folder, "prof")), chains(os.path.join(folder, "llvm")),
                          lines.read().split(), symbol_addresses(args.elf), args.show)


if __name__ == "__main__":
    main()
