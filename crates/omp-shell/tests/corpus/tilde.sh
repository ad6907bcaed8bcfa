HOME=/h; echo ~ ~/x "~" a~ ~/; p=~/bin:~/lib; echo $p
