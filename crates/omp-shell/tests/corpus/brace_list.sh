echo a{b,c,d}e {x,y}{1,2} {a,}b {single} "{q,r}" 
