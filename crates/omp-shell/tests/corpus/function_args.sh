f() { while [ $# -gt 0 ]; do case $1 in -a) echo a; shift;; -b) echo "b=$2"; shift 2;; *) echo "rest $1"; shift;; esac; done; }; f -a -b 1 x
