s=; for i in {1..200}; do s+="x$i,"; done; echo ${#s}
