v=banana; echo ${v/a/X} ${v//a/X} ${v/#b/X} ${v/%a/X} ${v//an/} ${v//[bn]/_}
