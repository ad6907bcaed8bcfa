f() {
cat <<END
$1 there
END
}
f hi
f ho
