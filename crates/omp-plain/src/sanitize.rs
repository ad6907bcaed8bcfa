//! Text that a terminal cannot be misled by.

/// Text of a model, made safe for a terminal: escape sequences and control characters are removed, so that an
/// answer cannot move the cursor, set the title or answer a query of the terminal.
pub fn sanitize(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_csi(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut rest),
            '\n' | '\t' => clean.push(c),
            '\r' if rest.peek() == Some(&'\n') => {}
            c if c.is_control() => {}
            c => clean.push(c),
        }
    }
    clean
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// What follows an ESC: a control sequence, a string sequence, or a short escape.
fn skip_escape(rest: &mut Chars<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_csi(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        _ => {
            while rest.next_if(|c| ('\u{20}'..='\u{2f}').contains(c)).is_some() {}
            rest.next_if(|c| ('\u{30}'..='\u{7e}').contains(c));
        }
    }
}

/// Parameters and intermediates, then one final byte.
fn skip_csi(rest: &mut Chars<'_>) {
    while rest.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
    rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

/// Up to BEL, ST or the end of the line: an unfinished sequence must not swallow the answer.
fn skip_string(rest: &mut Chars<'_>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sanitize;

    #[test]
    fn terminal_controls_are_removed_and_text_stays() {
        let text = "a\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}b\u{1b}]8;;http://x\u{1b}\\link\u{8}\r\nc\td\u{9b}2Je\u{1b}(Bf\u{7f}é\u{1f600}";
        assert_eq!(sanitize(text), "aredblink\nc\tdefé\u{1f600}");
        assert_eq!(sanitize("\u{1b}]never ended\nnext"), "\nnext");
        assert_eq!(sanitize("\u{1b}"), "");
    }
}
