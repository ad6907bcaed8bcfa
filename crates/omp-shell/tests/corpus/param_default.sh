unset u; e=; echo "${u-x}" "${u:-y}" "${e-x}" "[${e:-y}]" "${u:=set}" "$u" 
