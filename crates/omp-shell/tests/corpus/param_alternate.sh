v=1; unset u; e=; echo "[${v+a}]" "[${v:+b}]" "[${u+c}]" "[${e+d}]" "[${e:+f}]" 
