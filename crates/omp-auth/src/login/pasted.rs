//! What people paste: the address their browser ended at, or the code it showed.

use url::{Url, form_urlencoded};

use super::redirect::{Redirect, redirect};

/// Reads a pasted line; the error says what is wrong with it.
pub(super) fn read(line: &str, state: &str) -> Result<Redirect, String> {
    let line = line.trim();
    if line.is_empty() {
        return Err("The line is empty".to_owned());
    }
    if let Ok(url) = Url::parse(line)
        && url.has_host()
    {
        return redirect(url.query_pairs(), state);
    }
    if line.contains("code=") || line.contains("error=") {
        let query = line.trim_start_matches('?');
        return redirect(form_urlencoded::parse(query.as_bytes()), state);
    }
    let (code, given) = match line.split_once('#') {
        Some((code, given)) => (code, Some(given)),
        None => (line, None),
    };
    if given.is_some_and(|given| given != state) {
        return Err("The code belongs to another login".to_owned());
    }
    if code.is_empty() || code.contains(char::is_whitespace) {
        return Err("Neither a code nor the final URL".to_owned());
    }
    Ok(Redirect::Code(code.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: AUT-020
    #[test]
    fn a_code_and_an_address_are_both_understood() {
        let code = |line: &str| read(line, "st");
        for line in [
            "abc",
            "  abc \n",
            "abc#st",
            "http://localhost:1455/auth/callback?code=abc&state=st",
            "https://example.org/cb?state=st&code=abc&scope=x",
            "?code=abc&state=st",
            "code=abc&state=st",
        ] {
            assert_eq!(code(line), Ok(Redirect::Code("abc".to_owned())), "{line}");
        }
        assert_eq!(code("http://x/cb?code=a%2Fb&state=st"), Ok(Redirect::Code("a/b".to_owned())));
        assert!(matches!(code("http://x/cb?error=access_denied&state=st"), Ok(Redirect::Refused(_))));
        for line in [
            "",
            "abc#other",
            "http://x/cb?code=abc&state=other",
            "http://x/cb?code=abc",
            "http://x/cb",
            "two words",
            "#st",
        ] {
            assert!(code(line).is_err(), "{line}");
        }
    }
}
