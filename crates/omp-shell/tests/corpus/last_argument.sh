echo a b >/dev/null; echo $_; : x y; echo $_
