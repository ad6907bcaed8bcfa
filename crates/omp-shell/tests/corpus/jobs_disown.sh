sleep 0.2 & jobs -p | wc -l; disown; jobs | wc -l; wait
