f() { echo ${FUNCNAME[0]}; }; f; echo ${BASH_VERSINFO[0]:+set} ${BASH_SUBSHELL}; ( echo $BASH_SUBSHELL )
