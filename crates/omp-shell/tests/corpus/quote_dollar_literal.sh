echo "$" '$x' \$x "a$" 
