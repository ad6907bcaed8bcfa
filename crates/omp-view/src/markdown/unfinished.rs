//! Words that are still being written, as they will probably look: without this, the signs of bold words and code would be
//! seen until their end arrives, and addresses of links would run over the screen only to vanish.

use std::borrow::Cow;

/// Signs that are open at the end of a text.
#[derive(Default)]
struct Open {
    /// The length of the run of backticks around code, and where the code begins.
    code: Option<(usize, usize)>,
    /// Where bold words begin.
    bold: Option<usize>,
    /// Where the text of a link begins, and where its address does.
    link: Option<(usize, usize)>,
}

/// The text with what is open at its end closed, or left out if nothing stands behind it.
pub(super) fn closed(text: &str) -> Cow<'_, str> {
    let start = text.rfind("\n\n").map_or(0, |at| at + 2);
    let last = &text[start..];
    if last.contains("```") || last.contains("~~~") || last.starts_with("    ") || last.starts_with('\t') {
        return Cow::Borrowed(text);
    }
    let open = scan(last);
    let mut words = last.trim_end().to_owned();
    if let Some((length, begin)) = open.code {
        match words.len() > begin {
            true => words.push_str(&"`".repeat(length)),
            false => words.truncate(begin - length),
        }
    } else if let Some((begin, address)) = open.link {
        words.truncate(address.saturating_sub(2));
        words.remove(begin - 1);
    }
    if let Some(begin) = open.bold {
        // Half of the end may be there already.
        let inner = words.strip_suffix('*').filter(|rest| !rest.ends_with('*')).unwrap_or(&words).trim_end();
        words.truncate(inner.len());
        match words.len() > begin {
            true => words.push_str("**"),
            false => words.truncate(begin.saturating_sub(2).min(words.len())),
        }
    }
    match words == last.trim_end() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("{}{words}", &text[..start])),
    }
}

fn scan(text: &str) -> Open {
    let bytes = text.as_bytes();
    let mut open = Open::default();
    let mut bracket = None;
    let mut at = 0;
    while at < bytes.len() {
        // No longer than it has to be: a text may be one sign over and over.
        let most = match bytes[at] {
            b'`' => bytes.len(),
            b'*' => 2,
            _ => 1,
        };
        let run = bytes[at..].iter().take(most).take_while(|byte| **byte == bytes[at]).count();
        match (bytes[at], open.code, open.link) {
            (b'`', Some((length, _)), _) => {
                if length == run {
                    open.code = None;
                }
                at += run;
                continue;
            }
            (_, Some(_), _) => {}
            (b'\\', ..) => at += 1,
            (b'`', None, _) => {
                open.code = Some((run, at + run));
                at += run;
                continue;
            }
            (b')', _, Some(_)) => open.link = None,
            (_, _, Some(_)) => {}
            (b'*', ..) if run >= 2 => {
                open.bold = match open.bold {
                    Some(_) => None,
                    None => Some(at + 2),
                };
                at += 2;
                continue;
            }
            (b'[', ..) => bracket = Some(at + 1),
            (b']', ..) if bytes.get(at + 1) == Some(&b'(') => {
                open.link = bracket.take().map(|begin| (begin, at + 2));
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_closed_or_left_out() {
        let pairs = [
            ("see **bo", "see **bo**"),
            ("see **bold*", "see **bold**"),
            ("see **", "see "),
            ("see **bold** and", "see **bold** and"),
            ("run `car", "run `car`"),
            ("run `", "run "),
            ("run ``a ` b", "run ``a ` b``"),
            ("**run `x", "**run `x`**"),
            ("the [docs](https://exam", "the docs"),
            ("the [docs](https://x.org) are", "the [docs](https://x.org) are"),
            ("a \\`b", "a \\`b"),
            ("2 * 3", "2 * 3"),
            ("one `\n\ntwo **x", "one `\n\ntwo **x**"),
            ("```\n**x", "```\n**x"),
            ("日本 **語", "日本 **語**"),
            ("![pic](http://a", "!pic"),
        ];
        for (text, expected) in pairs {
            assert_eq!(closed(text).trim_end(), expected.trim_end(), "{text:?}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

        #[test]
        fn nothing_makes_it_fail(text in "[a*`\\[\\]()\\\\ \n日_]{0,40}") {
            closed(&text);
        }
    }
}
