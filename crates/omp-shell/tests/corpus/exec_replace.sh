echo before
exec sh -c 'echo replaced; exit 9'
echo never
