a=1; b=2
if [ $a = 1 ]; then echo one; fi; for i in 1 2; do
echo $i; done
