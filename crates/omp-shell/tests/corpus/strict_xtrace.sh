{ set -x; echo hi; x=1; set +x; } 2>&1
