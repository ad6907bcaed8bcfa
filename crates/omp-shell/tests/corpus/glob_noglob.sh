set -f; echo * [a-z]; set +f
