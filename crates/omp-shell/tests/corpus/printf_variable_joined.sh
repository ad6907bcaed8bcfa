printf -vname '%s-%s' a b; echo "$name"; printf -v other 'plain' unused; echo "$other"; printf -vlast 'x%%'; echo "$last"
