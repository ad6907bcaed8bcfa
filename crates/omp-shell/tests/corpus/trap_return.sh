f() { trap 'echo leaving' RETURN; echo in; }; f; trap - RETURN
