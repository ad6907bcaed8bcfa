v=äöü; echo ${#v} ${v:1:1} ${v^^}; printf '%s\n' "日本"; echo -e '\u00e9'
