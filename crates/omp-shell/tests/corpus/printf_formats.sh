printf '%s %d %5d|%-5s|%05.2f %x %o %c %%\n' str 42 7 ab 3.14159 255 8 xyz; printf '%s-' a b c; echo
