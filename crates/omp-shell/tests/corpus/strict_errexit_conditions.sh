set -e; if false; then :; fi; false || true; ! true; while false; do :; done; false && true; echo alive
