for w in apple banana cherry 7 ""; do case "$w" in a*) echo A;; b*|c*) echo BC;; [0-9]) echo digit;; "") echo empty;; *) echo rest;; esac; done
