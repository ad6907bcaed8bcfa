for ((i=0;i<5;i+=2)); do echo $i; done; for ((;;)); do break; done; echo end
