for i in a "b c" {1..2} $(echo d e); do echo "<$i>"; done; for i; do echo never; done; set -- p q; for i; do echo $i; done
