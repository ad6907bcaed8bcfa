trap 'echo "err $?"' ERR; false; (exit 4); true; if false; then :; fi; trap - ERR; false; echo end
