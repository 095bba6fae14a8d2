#!/usr/bin/env python3
"""Runs an aarch64 program under qemu-aarch64 one instruction at a time, through qemu's gdb stub, and
writes a trace: registers, stack words and the true callers before each instruction. The callers come
from watching calls and returns, not from any unwinding.

record.py PROGRAM TRACE"""
import re
import socket
import struct
import subprocess
import sys
import time

SP, PC = 31, 32
SIGUSR1 = 0x1e  # as gdb numbers signals
MASK = (1 << 48) - 1


class Stub:
    def __init__(self, program):
        probe = socket.socket()
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        self.process = subprocess.Popen(["qemu-aarch64", "-cpu", "max", "-g", str(port), program])
        for _ in range(1000):
            self.socket = socket.socket()
            if self.socket.connect_ex(("127.0.0.1", port)) == 0:
                break
            self.socket.close()
            time.sleep(0.01)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def ask(self, text):
        data = text.encode()
        self.socket.sendall(b"$" + data + b"#%02x" % (sum(data) & 255))
        while True:
            found = re.search(rb"\$([^#]*)#..", self.buffer)
            if found:
                self.buffer = self.buffer[found.end():]
                self.socket.sendall(b"+")
                return found.group(1).decode()
            more = self.socket.recv(1 << 16)
            if not more:
                raise EOFError
            self.buffer += more

    def registers(self):
        return list(struct.unpack("<33Q", bytes.fromhex(self.ask("g")[:33 * 16])))

    def words(self, address, count):
        result = []
        while count > 0:
            part = min(count, 128)
            result += struct.unpack(f"<{part}Q", bytes.fromhex(self.ask(f"m{address:x},{part * 8:x}")))
            address += part * 8
            count -= part
        return result


def functions(program):
    text = subprocess.run(["aarch64-linux-gnu-nm", "-S", "--defined-only", program],
                          capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^(\w+) (\w+) [tT] (\w+)$", text, re.M)
    return sorted((int(start, 16), int(size, 16), name) for start, size, name in rows)


def main(program, trace):
    rows = functions(program)

    def named(address):
        for start, size, name in rows:
            if start <= address < start + size or (address == start + size and size):
                return f"{name}+{address - start:x}"
        raise ValueError(f"{address:x} is in no function")

    code_of = {name: start for start, _, name in rows}
    stub = Stub(program)
    out = open(trace, "w")
    for start, size, name in rows:
        out.write(f"function {start:x} {size:x} {name}\n")
    known, memory, seen, shadow = [0] * 33, {}, set(), []
    old_chain, registers = None, stub.registers()
    top = registers[SP] + 64
    out.write(f"top {top:x}\n")
    while True:
        pc = registers[PC]
        chain = ";".join(named(address) for address in reversed(shadow))
        if (pc, chain) not in seen:
            seen.add((pc, chain))
            fields = [f"{n}={new:x}" for n, new in enumerate(registers) if new != known[n]]
            known = registers
            for i, word in enumerate(stub.words(registers[SP], (top - registers[SP]) // 8)):
                address = registers[SP] + 8 * i
                if memory.get(address, 0) != word:
                    fields.append(f"@{address:x}={word:x}")
                    memory[address] = word
            if chain != old_chain:
                fields.append("<" + chain)
                old_chain = chain
            out.write(" ".join(fields) + "\n")
        instruction = struct.unpack("<I", bytes.fromhex(stub.ask(f"m{pc:x},4")))[0]
        reply = stub.ask("s")
        while reply[0] == "T" and int(reply[1:3], 16) == SIGUSR1:
            reply = stub.ask(f"vCont;S{SIGUSR1:02x}")
        if reply[0] in "WX":
            break
        registers = stub.registers()
        if instruction & 0xfc000000 == 0x94000000 or instruction & 0xfffffc1f == 0xd63f0000:
            shadow.append(pc + 4)
        elif instruction in (0xd65f03c0, 0xd65f0bff):
            shadow.pop()
        # qemu stops behind the first instruction of a handler, and of what a handler interrupted.
        elif instruction == 0xd4000001 and registers[PC] - code_of["Handler"] in (0, 4):
            shadow += [pc + 4, registers[30] & MASK]
        elif instruction == 0xd4000001 and pc == code_of["Restorer"] + 4:
            shadow.pop()
    out.close()
    print(program, len(seen), "states")


main(*sys.argv[1:])
