IFS=:; v="a::b:"; printf '[%s]' $v; echo; IFS=', '; v="a, b,c"; printf '[%s]' $v; echo
