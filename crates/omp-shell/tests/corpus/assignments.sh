a=1 b=2; echo $a$b; a+=3; echo $a; x=y=z; echo $x; PATH2=$PATH:/x; [ "$PATH2" = "$PATH:/x" ] && echo path
