v="a b'c"; echo ${v@Q}; x=hi; echo ${x@U} ${x@u}
