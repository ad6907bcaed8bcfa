( trap 'echo 1' EXIT; ( trap 'echo 2' EXIT; echo inner ); echo outer )
