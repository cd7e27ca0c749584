#!/bin/sh
# Asks `nardy serve` whatever its OpenAPI description allows and forbids, and says where the answers are others.
#
#     scripts/schema_server.sh [EXAMPLES [SEED]]        needs schemathesis (pip install schemathesis)
#
# Exit code: schemathesis's own, 0 where it found nothing. The check that is left out holds that every request that the
# schema allows must be accepted: no schema can say which boards can stand (docs/serving.md).
set -eu
examples=${1:-15}
seed=${2:-1}
python=${PYTHON:-python3}
port=${PORT:-8124}
log=$(mktemp)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -f "$log"' EXIT INT TERM
"$python" -m nardy_ai serve checkpoints/short-quick.safetensors checkpoints/long-quick.safetensors --port "$port" >"$log" 2>&1 &
server=$!
tries=0
until "$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/health', timeout=1)" 2>/dev/null; do
  tries=$((tries + 1))
  kill -0 "$server" 2>/dev/null && [ "$tries" -lt 60 ] || { cat "$log" >&2; exit 2; }
  sleep 0.5
done
"${SCHEMATHESIS:-schemathesis}" run "http://127.0.0.1:$port/openapi.json" --max-examples "$examples" --seed "$seed" \
  --exclude-checks positive_data_acceptance
