printf '[%s][%s]\n' one; printf '%d\n' 0x10; printf '%s\n'
