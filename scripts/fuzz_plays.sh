#!/usr/bin/env bash
# Fuzzes the play generator with libFuzzer under ASan and UBSan: scripts/fuzz_plays.sh [SECONDS]
# Needs clang with its runtime (Debian: clang libclang-rt-14-dev). Findings go to build/fuzz/, what is new to
# build/fuzz/corpus; the small corpus that the tests replay is tests/fuzz/corpus.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
mkdir -p build/fuzz/corpus
clang -std=c11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Inardy_ai/core \
  tests/fuzz/fuzz_plays.c nardy_ai/core/{plays,plays_tree,position,rules,outcome,encode,encode_shape,encode_prospects}.c -o build/fuzz/fuzz_plays
build/fuzz/fuzz_plays -max_len=64 -max_total_time="$seconds" -artifact_prefix=build/fuzz/ -print_final_stats=1 \
  build/fuzz/corpus tests/fuzz/corpus
