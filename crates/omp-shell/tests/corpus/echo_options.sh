echo -n a; echo b; echo -e 'x\ty\\z'; echo -E 'x\ty'; echo -n; echo --; echo -x
