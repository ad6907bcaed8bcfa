coproc { read l; echo "got $l"; }; echo hi >&${COPROC[1]}; read r <&${COPROC[0]}; echo $r
