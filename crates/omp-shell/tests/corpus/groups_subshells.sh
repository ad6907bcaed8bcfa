x=1; { x=2; }; echo $x; ( x=3; echo $x ); echo $x; (exit 7); echo $?; ( cd /; pwd ); [ "$PWD" = / ] || echo back
