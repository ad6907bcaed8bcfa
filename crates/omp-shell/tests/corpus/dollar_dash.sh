set -f; case $- in *f*) echo noglob;; esac; set +f; case $- in *i*) echo interactive;; *) echo batch;; esac
