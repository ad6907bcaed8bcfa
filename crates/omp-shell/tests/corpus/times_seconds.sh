SECONDS=0; [ $SECONDS -lt 5 ] && echo soon; [ $RANDOM -ge 0 ] && echo random; echo ${#EPOCHSECONDS}
