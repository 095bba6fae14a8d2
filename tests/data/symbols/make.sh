#!/bin/bash
# Makes the ELF fixtures and the expectations of llvm-symbolizer beside this script.
# Debian 12: g++ 12.2, clang++-19, LLVM 14, binutils 2.40, xz, dwz.
set -eu
data=$(cd "$(dirname "$0")" && pwd)
build=$(mktemp -d)
cp "$data/inlines.cc" "$build/" && cd "$build"
flags=(-O2 -fPIC -shared -nostdlib -ffile-prefix-map="$build"=/src -Wl,--build-id=sha1 -Wl,-z,noseparate-code)
g++ "${flags[@]}" -g -gdwarf-5 -fcf-protection=none inlines.cc -o dwarf5.so
g++ "${flags[@]}" -gdwarf-4 -gz=zlib -fcf-protection inlines.cc -o dwarf4gz.so
clang++-19 "${flags[@]}" -g inlines.cc -o clang.so
lib=$data/root/lib debug=$data/root/usr/lib/debug
rm -rf "$lib" "$debug" "$data/expected"
mkdir -p "$lib/.debug" "$debug/lib" "$data/expected"
cp dwarf5.so dwarf4gz.so clang.so "$lib/"

for name in dwarf5 dwarf4gz clang; do
  # Every fourth byte of code: 0xADDRESS, then function and file:line of each frame.
  read -r start size < <(readelf -SW "$name.so" | sed 's/\[ */[/' | awk '$2==".text"{print "0x"$4, "0x"$6}')
  for ((a = start; a < start + size; a += 4)); do printf '0x%x\n' "$a"; done |
    llvm-symbolizer-14 --output-style=GNU --functions=linkage --no-demangle -i -a --obj="$name.so" |
    sed 's/ (discriminator.*//' > "$data/expected/$name.txt"
done

# Debug files by build ID, by link beside the file, in .debug, and below the debug folder.
split() {  # NAME DEBUG-FILE EXTRA-FLAGS...
  local name=$1 target=$2
  shift 2
  g++ "${flags[@]}" -g "$@" inlines.cc -o "$name.full"
  objcopy --only-keep-debug "$name.full" "$name.so.debug"
  strip -o "$name.so" "$name.full"
  objcopy --add-gnu-debuglink="$name.so.debug" "$name.so"
  cp "$name.so" "$lib/"
  cp "$name.so.debug" "$target"
}
split beside "$lib/beside.so.debug" -DV=1
split dotdebug "$lib/.debug/dotdebug.so.debug" -Wl,--build-id=none
split below "$debug/lib/below.so.debug" -DV=3
split wrong "$lib/wrong.so.debug" -DV=4
cp dwarf5.so "$lib/wrong.so.debug"  # has another build ID
g++ "${flags[@]}" -g -O1 inlines.cc -o byid.full
id=$(readelf -n byid.full | awk '/Build ID/{print $3}')
mkdir -p "$debug/.build-id/${id:0:2}"
objcopy --only-keep-debug byid.full "$debug/.build-id/${id:0:2}/${id:2}.debug"
strip -o "$lib/byid.so" byid.full

# Mini debug info: only local symbols, compressed.
strip -o mini.so dwarf5.so
objcopy --strip-debug dwarf5.so mini.symtab
objcopy -S --remove-section .comment --keep-symbol=_ZN12_GLOBAL__N_15LocalEi.isra.0 \
  --keep-symbol=_ZN12_GLOBAL__N_15LocalEi mini.symtab mini.debug
xz mini.debug
objcopy --add-section .gnu_debugdata=mini.debug.xz mini.so "$lib/mini.so"

# dwz: two files share what they have in common in a third one.
g++ "${flags[@]}" -g -O2 inlines.cc -o dwz1.so
g++ "${flags[@]}" -g -O1 inlines.cc -o dwz2.so
dwz -m common.dwz -M common.dwz dwz1.so dwz2.so && cp dwz1.so common.dwz "$lib/"
rm -rf "$build"
