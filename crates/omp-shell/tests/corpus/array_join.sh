a=(a b c); IFS=,; echo "${a[*]}"; (IFS=+; echo "${a[*]}")
