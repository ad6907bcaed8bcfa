shopt -s extglob
d=$(mktemp -d)
cd $d; touch a.txt b.txt c.md .hidden 'sp ace'; mkdir -p sub/deep; touch sub/x.txt sub/deep/y.txt; 
echo @(a|b).txt
echo !(*.txt)
v=aaab; echo ${v##+(a)}
[[ abab == *(ab) ]] && echo match
cd /; rm -r $d
