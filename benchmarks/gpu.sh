#!/usr/bin/env bash
# Checks CUDA end to end and prints images a second at several batch sizes and precisions, against the bare model and the
# decode: under 6 minutes on a machine with a card, a plain sentence on one without.
#   benchmarks/gpu.sh             the card
#   benchmarks/gpu.sh --cpu       the same on the processor, with few images: tries the script out
set -euo pipefail
cd "$(dirname "$0")/.."

python="${PYTHON:-.venv/bin/python}"
[ -x "$python" ] || python=python3
if command -v nvidia-smi > /dev/null; then
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
fi
PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" exec timeout 360 "$python" -m benchmarks.gpu "$@"
