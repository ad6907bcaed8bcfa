x=$(exit 3); echo $?; local_x() { local y=$(exit 4); echo $?; }; local_x
