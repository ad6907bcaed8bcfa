for i in 1 2; do if [ $i = 1 ]; then case x in x) while :; do echo deep; break; done;; esac; else { ( echo sub ); }; fi; done
