#!/bin/bash
# Makes the programs and traces beside this script.
# Debian 12: aarch64-linux-gnu-g++ 12.2, clang-19, binutils 2.40, qemu-user 7.2, python3.
set -eu
cd "$(dirname "$0")"
flags=(-std=c++17 -O2 -nostdlib -ffreestanding -fno-exceptions -fno-rtti -fno-stack-protector -fno-pie)
link=(-static --eh-frame-hdr -z max-page-size=4096)
object=$(mktemp)
trap 'rm -f "$object"' EXIT
make() {  # NAME COMPILER FLAGS...
  local name=$1
  shift
  "$@" "${flags[@]}" -c calls.cc -o "$object"
  aarch64-linux-gnu-ld "${link[@]}" "$object" -o "$name.elf"
  aarch64-linux-gnu-strip -g "$name.elf"
  python3 record.py "./$name.elf" "$name.trace"
}
make gcc aarch64-linux-gnu-g++ -fomit-frame-pointer
make pac aarch64-linux-gnu-g++ -fno-omit-frame-pointer -mbranch-protection=pac-ret+leaf
make clang clang++-19 --target=aarch64-linux-gnu -fasynchronous-unwind-tables
make bare clang++-19 --target=aarch64-linux-gnu -fno-asynchronous-unwind-tables -fno-unwind-tables
