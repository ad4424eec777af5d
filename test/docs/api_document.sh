#!/usr/bin/env bash
# doc/api.md is made from the headers as they are.
set -euo pipefail
python3 "$MEMBRANE_SOURCE_DIR/tools/api_document.py" --check
