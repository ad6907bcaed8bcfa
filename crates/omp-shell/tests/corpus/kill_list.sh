kill -l 9; kill -l TERM
