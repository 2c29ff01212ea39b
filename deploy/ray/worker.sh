#!/usr/bin/env bash
# A machine that computes: joins the head with all its cores and GPUs, and stays until it is stopped.
#   deploy/ray/worker.sh HEAD:6379
set -euo pipefail
cd "$(dirname "$0")/../.."

head="${1:?the head, as HOST:PORT}"
shift
export RAY_AUTH_MODE="${RAY_AUTH_MODE:-token}"
exec .venv/bin/ray start --address "$head" --disable-usage-stats --block "$@"
