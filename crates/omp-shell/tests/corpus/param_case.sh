v=heLLo; echo ${v^} ${v^^} ${v,} ${v,,}; w=abc; echo ${w^^[ac]}
