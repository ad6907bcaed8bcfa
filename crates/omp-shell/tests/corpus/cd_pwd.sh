cd /usr; pwd; cd ..; pwd; cd /tmp && cd - >/dev/null; pwd; cd /no/such 2>/dev/null || echo "no $PWD"; pushd /usr >/dev/null; popd >/dev/null; pwd
