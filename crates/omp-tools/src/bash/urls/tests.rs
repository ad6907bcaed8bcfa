use super::scan::{FoundUrl, command, value};

/// The URLs of a command, with what their place is called.
fn urls(text: &str) -> Vec<String> {
    shown(text, &command(text))
}

fn shown(text: &str, found: &[FoundUrl]) -> Vec<String> {
    found.iter().map(|found| format!("{:?} {}", found.quote, &text[found.start..found.end])).collect()
}

#[test]
fn words_of_a_command() {
    assert_eq!(urls("cat local://a.md skill://x/y"), ["None local://a.md", "None skill://x/y"]);
    assert_eq!(
        urls("cat <local://a>LOCAL:/b;(wc local://c)|tee local://d&"),
        ["None local://a", "None LOCAL:/b", "None local://c", "None local://d"]
    );
    assert_eq!(urls("x --file=local://a"), ["None local://a"]);
    assert_eq!(urls("ls local://"), ["None local://"]);
    assert_eq!(urls("cat local://$NAME local://d/${x}"), ["None local://", "None local://d/"]);
}

#[test]
fn quoted_words() {
    assert_eq!(urls(r#"cat "local://a b" 'local://c d'"#), ["Double local://a b", "Single local://c d"]);
    assert_eq!(
        urls(r#"echo "read skill://pdf, then local://x.""#),
        ["Double skill://pdf", "Double local://x"]
    );
    assert_eq!(urls(r#"echo "$(cat local://a)" local://b"#), ["None local://a", "None local://b"]);
    assert_eq!(urls(r#"cat "local://$x""#), ["Double local://"]);
    assert_eq!(urls(r#"echo it\'s local://a"#), ["None local://a"]);
}

#[test]
fn what_is_no_name_stays() {
    for text in [
        "curl http://local/x https://a.b/local://c s3://x/y",
        "grep -rn 'local://' src; grep \"skill://\" x",
        "echo mylocal://x git+local://y",
        "ls # don't look at local://x",
        "cat <<EOF >f\nsee skill://none\nEOF",
        "cat <<-'E O' <<\"B\"\nskill://a\n\tE\nlocal://b\nB\n",
        "echo local:x skill:/x",
    ] {
        assert_eq!(urls(text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(urls("cat <<EOF\nlocal://a\nEOF\ncat local://b"), ["None local://b"]);
    assert_eq!(urls("cat <<<local://a"), ["None local://a"]);
}

#[test]
fn values_of_variables() {
    let urls = |text: &str| shown(text, &value(text));
    assert_eq!(urls("local://a"), ["Plain local://a"]);
    assert_eq!(urls("local://"), ["Plain local://"]);
    assert_eq!(urls("local://a:local://b"), ["Plain local://a", "Plain local://b"]);
    assert_eq!(urls("--in local://a,skill://b"), ["Plain local://a", "Plain skill://b"]);
    assert_eq!(urls("the word local:// alone"), Vec::<String>::new());
}
