a=(a b c); echo ${a[-1]} ${a[-3]}
