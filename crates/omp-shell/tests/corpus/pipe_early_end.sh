seq 100000 | head -1; echo ${PIPESTATUS[1]}
