( trap 'echo "next: $BASH_COMMAND"' DEBUG; x=1; echo hi; trap - DEBUG; echo done )
