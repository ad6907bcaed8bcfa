d=$(mktemp -d); touch "$d/a b" $d/c; find $d -type f -print0 | sort -z | xargs -0 -n1 basename; find $d -name c -exec basename {} \;; rm -r $d
