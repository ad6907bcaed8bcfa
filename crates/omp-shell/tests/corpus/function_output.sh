f() { echo out; return 0; }; x=$(f); echo "[$x]"; f >/dev/null; f | tr a-z A-Z
