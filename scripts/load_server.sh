#!/bin/sh
# Loads `nardy serve` with 32 clients that ask for single decisions of the raw net, and says whether it held.
#
#     scripts/load_server.sh [MODEL [SECONDS]]          needs wrk (Debian: apt-get install wrk)
#
# To hold on a quiet machine with two cores: 1,000 requests a second for a minute, 99 % of them within 50 ms, no error.
# Exit code 0: it held; 1: it did not, and what was short of it is said; 2: something is missing.
set -eu
model=${1:-checkpoints/short-quick.safetensors}
seconds=${2:-60}
python=${PYTHON:-python3}
port=${PORT:-8123}
command -v wrk >/dev/null || { echo "load_server: wrk is not installed" >&2; exit 2; }
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT INT TERM

# Four rolls in turn, of the starting position.
cat >"$folder/ask.lua" <<'LUA'
local rolls = {"[3, 1]", "[6, 5]", "[4, 2]", "[6, 6]"}
local count = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
function request()
  count = count + 1
  return wrk.format(nil, "/rank", nil, '{"position": "start", "dice": ' .. rolls[count % 4 + 1] .. ', "most": 1}')
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local rate = summary.requests / (summary.duration / 1e6)
  local slow = latency:percentile(99) / 1000
  io.write(string.format("requests a second %.0f, p50 %.1f ms, p99 %.1f ms, errors %d\n", rate,
    latency:percentile(50) / 1000, slow, failed))
  local held = failed == 0 and rate >= 1000 and slow <= 50
  io.write(held and "held\n" or "not held: wanted are 1000 a second, p99 of 50 ms, no error\n")
end
LUA

server=
"$python" -m nardy_ai serve "$model" --port "$port" >"$folder/server.log" 2>&1 &
server=$!
tries=0
until "$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/health', timeout=1)" 2>/dev/null; do
  tries=$((tries + 1))
  kill -0 "$server" 2>/dev/null && [ "$tries" -lt 60 ] || { cat "$folder/server.log" >&2; exit 2; }
  sleep 0.5
done
echo "$model, 32 clients, $seconds s, $(nproc) cores, load average $(cut -d ' ' -f 1 /proc/loadavg) before"
wrk -t1 -c32 -d"${seconds}s" --timeout 5s -s "$folder/ask.lua" "http://127.0.0.1:$port" >"$folder/wrk.log"
tail -n 2 "$folder/wrk.log"
kill "$server"
wait "$server" 2>/dev/null || true
tail -n 1 "$folder/wrk.log" | grep -q '^held$'
