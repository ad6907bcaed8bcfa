hash -r; ls / >/dev/null; echo ok; enable -n test; type -t test; enable test; type -t test
