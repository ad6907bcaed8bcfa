echo a # b
# c
echo 'd # e' f#g
