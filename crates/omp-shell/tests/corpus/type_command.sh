type -t echo if ls_none f 2>/dev/null; f() { :; }; type -t f; command -v cd; command -v no_such_thing || echo none
