x=global; f() { local x=local; g; echo "f $x"; }; g() { echo "g $x"; x=changed; }; f; echo $x
