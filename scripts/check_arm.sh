#!/usr/bin/env bash
# Builds the C library for 64-bit ARM, runs it under emulation and compares what it finds with this machine's:
#
#     scripts/check_arm.sh [NET_FILE ...]
#
# Needs CMake, qemu-aarch64 (Debian: qemu-user) and a cross compiler: gcc (Debian: gcc-aarch64-linux-gnu
# libc6-dev-arm64-cross), clang as ziglang from PyPI, or both, which are then both checked. tests/arm/portable.c says
# what is compared: plays, values, searches and games, by random nets and by the .nardynet files given. Wanted are
# the bits of this machine: of its plain kernels by the plain ones of ARM, of AVX2 by NEON. A whole game of
# examples/self_game.c must come out alike, and no compiler may warn.
set -eu -o pipefail
cd "$(dirname "$0")/.."
place=${BUILD:-build/arm}
python=${PYTHON:-python3}
mkdir -p "$place"

fail() { echo "check_arm: $1" >&2; exit "${2:-1}"; }

command -v cmake >/dev/null || fail "cmake is not installed (pip install cmake)" 2
command -v qemu-aarch64 >/dev/null || fail "qemu-aarch64 is not installed (Debian: apt install qemu-user)" 2

# build FOLDER [CMAKE OPTION ...]: the library, the example and the driver, as users of the library build them.
build() {
  local folder=$1 compiler
  shift
  cmake -S . -B "$folder" -DNARDY_LIBRARY=ON -DNARDY_WERROR=ON "$@" >"$folder.log" 2>&1 &&
    cmake --build "$folder" --parallel 2 >>"$folder.log" 2>&1 || { tail -n 30 "$folder.log"; fail "$folder: no build"; }
  compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$folder/CMakeCache.txt")
  "$compiler" -std=c11 -pedantic -Wall -Wextra -Werror -O2 -Ilibrary tests/arm/portable.c "$folder/libnardy.a" -lm \
    -o "$folder/portable"
  "$compiler" -std=c11 -pedantic -Wall -Wextra -Werror -O2 -Ilibrary examples/self_game.c "$folder/libnardy.a" -lm \
    -o "$folder/game"
}

# same WHAT FILE FILE: all lines but the first, which names the kernels.
same() {
  diff <(tail -n +2 "$2") <(tail -n +2 "$3") >"$place/difference" ||
    { cat "$place/difference"; fail "$1: other results than this machine's (< here, > ARM)"; }
  echo "$1: the same"
}

build "$place/here"
for kernels in plain avx2; do
  "$place/here/portable" "$kernels" "$@" >"$place/here-$kernels" || {
    # 3: this processor does not run them.
    [ $? -eq 3 ] || fail "the kernels $kernels of this machine are not what they should be"
    rm "$place/here-$kernels"
    echo "this machine runs no $kernels: NEON is held against ARM's plain kernels alone"
  }
done
for file in "" "$@"; do "$place/here/game" ${file:+"$file"}; done >"$place/here-game"
for game in long/fns short/standard; do
  stored=$(tr -d ' \n' <tests/data/perft.json | sed -n "s|.*\"$game\":\[\([0-9,]*\)\].*|\1|p" | tr , ' ')
  counted=$(sed -n "s|^courses $game ||p" "$place/here-plain")
  case "$stored " in "$counted "*) ;; *) fail "$game: $counted courses of the first turns, stored are $stored" ;; esac
done

# check NAME [NET_FILE ...]: what was built in the folder NAME, run by $runner, against this machine.
check() {
  local name=$1 folder=$place/$1 files=("${@:2}")
  for kernels in plain neon; do
    $runner "$folder/portable" "$kernels" ${files[@]+"${files[@]}"} >"$folder-$kernels" ||
      { cat "$folder-$kernels"; fail "$name: the kernels $kernels are not what the header says"; }
  done
  same "$name: plays, values, searches and games, plain kernels" "$place/here-plain" "$folder-plain"
  if [ -e "$place/here-avx2" ]; then
    same "$name: plays, values, searches and games, NEON against AVX2" "$place/here-avx2" "$folder-neon"
  fi
  for file in "" ${files[@]+"${files[@]}"}; do $runner "$folder/game" ${file:+"$file"}; done >"$folder-game"
  grep -q ', kernels neon$' "$folder-game" || fail "$name: the library does not take its NEON kernels by itself"
  diff <(grep -v ', kernels ' "$place/here-game") <(grep -v ', kernels ' "$folder-game") ||
    fail "$name: the example plays another game than on this machine (< here, > ARM)"
  echo "$name: whole games, $(grep -c '^turn' "$folder-game") turns: the same"
  echo "$name: furthest from plain: $(sed -n 's/.*, \([^ ]*\) from plain$/\1/p' "$folder-neon" | sort -g | tail -n 1)"
}

cross=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64)
checked=0
if command -v aarch64-linux-gnu-gcc >/dev/null; then
  build "$place/gcc" "${cross[@]}" -DCMAKE_C_COMPILER="$(command -v aarch64-linux-gnu-gcc)"
  runner="qemu-aarch64 -L /usr/aarch64-linux-gnu"
  check gcc "$@"
  checked=1
fi
if "$python" -c 'import ziglang' 2>/dev/null; then
  for tool in cc ar ranlib; do
    target=$([ $tool = cc ] && echo "-target aarch64-linux-musl" || true)
    printf '#!/bin/sh\nexec "%s" -m ziglang %s %s "$@"\n' "$(command -v "$python")" $tool "$target" >"$place/zig-$tool"
    chmod +x "$place/zig-$tool"
  done
  tools=$(cd "$place" && pwd)
  build "$place/clang" "${cross[@]}" -DCMAKE_C_COMPILER="$tools/zig-cc" -DCMAKE_AR="$tools/zig-ar" \
    -DCMAKE_RANLIB="$tools/zig-ranlib"
  runner="qemu-aarch64"
  check clang "$@"
  checked=1
fi
[ $checked = 1 ] || fail "no compiler for ARM: apt install gcc-aarch64-linux-gnu, or pip install ziglang" 2
