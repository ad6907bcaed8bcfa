a=b; b=c; echo ${!a}; pre_x=1 pre_y=2; echo ${!pre_*}
