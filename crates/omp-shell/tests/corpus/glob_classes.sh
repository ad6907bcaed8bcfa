d=$(mktemp -d); cd $d; touch a.txt b.txt c.md .hidden 'sp ace'; mkdir -p sub/deep; touch sub/x.txt sub/deep/y.txt; echo [[:lower:]].txt [[:alpha:]].??; cd /; rm -r $d
