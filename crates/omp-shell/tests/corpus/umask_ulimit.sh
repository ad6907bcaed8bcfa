( umask 077; umask ); umask 022; umask; ( ulimit -n 64; ulimit -n )
