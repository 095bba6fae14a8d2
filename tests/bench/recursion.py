# Recurses through C code (max with a key function): stacks of about 30 to 60 frames, for the benchmarks of the
# unwinder and the reader. usage: recursion.py [SECONDS=3]
import sys
import time


def spin(count):
    total = 0
    for i in range(count):
        total += i * i
    return total


def descend(depth):
    return spin(60) if depth == 0 else max([depth], key=lambda _: descend(depth - 1))


end = time.time() + (float(sys.argv[1]) if len(sys.argv) > 1 else 3)
while time.time() < end:
    descend(6)
