x=1; unset x; echo "[${x-unset}]"; export y=2; sh -c 'echo $y'; z=3 sh -c 'echo $z'; echo "[$z]"; export -n y; sh -c 'echo "[$y]"'
