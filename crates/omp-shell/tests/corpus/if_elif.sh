f() { if [ "$1" = a ]; then echo A; elif [ "$1" = b ]; then echo B; else echo other; fi; }; f a; f b; f c
