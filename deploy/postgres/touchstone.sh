#!/usr/bin/env bash
# `touchstone` with the variables of a file and its state on Postgres.
#   deploy/postgres/touchstone.sh touchstone.env status
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
root="$(cd "$(dirname "$0")/../.." && pwd)"
export TOUCHSTONE_DAGSTER_YAML="$root/deploy/postgres/dagster.yaml"
exec "${TOUCHSTONE_COMMAND:-$root/.venv/bin/touchstone}" "$@"
