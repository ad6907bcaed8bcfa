echo one \
two\
three
