: ; : ignored words; true; : > /dev/null; echo $?
