#!/bin/bash
# Plays the ssh of a machine that is this one. Beside it, in its directory: "calls" gets the arguments of every call and
# "actions" what was wanted; "refusal", "probe", "has-bash", "has-sh" and "deaf" change what it does.
here="$(dirname "$0")"
{ printf '%s\x1f' "$@"; printf '\x1e'; } >> "$here/calls"
for ((i = 1; i <= $#; i++)); do
  case "${!i}" in
    -S) next=$((i + 1)); socket="${!next}" ;;
    -O) next=$((i + 1)); action="${!next}" ;;
    -f) action=master ;;
    --) command="${*:i+2}"; break ;;
  esac
done
echo "${action:-run}" >> "$here/actions"
case "$action" in
  check) [ -e "$socket" ]; exit ;;
  exit) rm -f "$socket"; exit 0 ;;
  master)
    if [ -e "$here/refusal" ]; then cat "$here/refusal" >&2; exit 255; fi
    touch "$socket"; exit 0 ;;
esac
case "$command" in
  *omp-probe*) if [ -e "$here/probe" ]; then cat "$here/probe"; else eval "$command"; fi ;;
  *omp-bash*) [ -e "$here/has-bash" ] && echo omp-bash ;;
  *omp-sh*) [ -e "$here/has-sh" ] && echo omp-sh ;;
  *) if [ -e "$here/deaf" ]; then exit 0; fi; exec bash -c "$command" ;;
esac
