[[ hello == h*o ]] && echo glob; [[ hello == "h*o" ]] || echo literal; [[ a < b ]] && echo less; [[ -z "" && ( 1 -eq 1 || 2 -eq 3 ) ]] && echo group
