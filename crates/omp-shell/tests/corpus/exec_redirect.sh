exec 3>&1
x=$(echo captured; echo direct >&3)
echo "$x"
exec 3>&-
