f() { echo o; echo e >&2; } 2>/dev/null; f; g() ( x=sub; echo $x ); g; echo "[$x]" 
