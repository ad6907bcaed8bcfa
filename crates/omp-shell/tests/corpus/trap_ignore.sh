( trap '' TERM; kill -TERM $BASHPID; echo survived )
