s=0; for ((i=0;i<2000;i++)); do ((s+=i)); done; echo $s
