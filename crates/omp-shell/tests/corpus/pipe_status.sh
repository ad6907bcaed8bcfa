false | true; echo $?; true | false; echo $?; ! true; echo $?; ! false; echo $?
