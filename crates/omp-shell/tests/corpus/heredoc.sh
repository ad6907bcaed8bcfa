x=1
cat <<END
value $x $(echo sub) \$x \\
END
cat <<'END'
literal $x
END
