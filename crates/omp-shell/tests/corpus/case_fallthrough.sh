case a in a) echo 1;& b) echo 2;; c) echo 3;; esac; case a in a) echo 4;;& *) echo 5;; esac
