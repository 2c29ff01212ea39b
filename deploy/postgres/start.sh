#!/usr/bin/env bash
# Web UI, daemon and code server on Postgres, as three processes of this machine, until Ctrl+C or SIGTERM.
#   deploy/postgres/start.sh touchstone.env              variables of the file
#   deploy/postgres/start.sh touchstone.env --port 3001  another port for the web UI
set -euo pipefail

settings="${1:?a file of variables, made from deploy/postgres/example.env}"
shift
# Line by line, not as a script: a password may hold what a shell would take for its own.
number=0
while IFS= read -r line || [ -n "$line" ]; do
  number=$((number + 1))
  case "$line" in '' | '#'*) continue ;; esac
  # What bash says of a name that is none holds the whole line, and that may be a secret.
  if [[ ! $line =~ ^[A-Za-z_][A-Za-z0-9_]*= ]]; then
    echo "$settings, line $number: not NAME=value. Begin it with the name, without blanks and without export." >&2
    exit 2
  fi
  export "${line%%=*}=${line#*=}"
done < "$settings"
cd "$(dirname "$0")/../.."
export TOUCHSTONE_DAGSTER_YAML="$PWD/deploy/postgres/dagster.yaml"
exec "${TOUCHSTONE_COMMAND:-.venv/bin/touchstone}" serve "$@"
