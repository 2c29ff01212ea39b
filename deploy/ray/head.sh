#!/usr/bin/env bash
# The machine that runs Touchstone: coordinates, and computes nothing unless it is given resources.
#   deploy/ray/head.sh                     coordinates only
#   deploy/ray/head.sh --num-cpus 16       computes too; add --num-gpus 1 for its GPU
set -euo pipefail
cd "$(dirname "$0")/../.."

# Anyone who reaches the port may run code as you: every machine has to show the same token.
export RAY_AUTH_MODE="${RAY_AUTH_MODE:-token}"
if [ "$#" -eq 0 ]; then set -- --num-cpus 0 --num-gpus 0; fi
exec .venv/bin/ray start --head --port "${RAY_PORT:-6379}" --include-dashboard false --disable-usage-stats --block "$@"
