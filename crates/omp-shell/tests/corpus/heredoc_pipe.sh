cat <<END | tr a-z A-Z
shout
END
