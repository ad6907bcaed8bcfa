echo start

if true
then
  echo inside
fi

echo end
