#!/usr/bin/env bash
# Web UI, daemon and code server on Postgres, as three processes of this machine, until Ctrl+C or SIGTERM.
#   deploy/postgres/start.sh touchstone.env              variables of the file
#   deploy/postgres/start.sh touchstone.env --port 3001  another port for the web UI
set -euo pipefail

settings="${1:?a file of variables, made from deploy/postgres/example.env}"
shift
exec "$(dirname "$0")/touchstone.sh" "$settings" serve "$@"
