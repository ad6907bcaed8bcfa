[ 1 -lt 2 ] && [ 2 -le 2 ] && [ 3 -gt 2 ] && [ 3 -ge 3 ] && [ 1 -eq 1 ] && [ 1 -ne 2 ] && echo all
