//! Markdown code, blanked out.

/// The same text, byte for byte as long, with spaces in place of fenced blocks and code spans.
pub(crate) fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let marks = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            Some(open) => {
                blank(line, &mut out);
                if marks >= open {
                    fence = None;
                }
            }
            None if marks >= 3 => {
                blank(line, &mut out);
                fence = Some(marks);
            }
            None => spans(line, &mut out),
        }
    }
    out
}

/// Spans of one line. A backtick without a partner is a character.
fn spans(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let run = rest[start..].bytes().take_while(|byte| *byte == b'`').count();
        let mark = &rest[start..start + run];
        let body = start + run;
        let Some(end) = rest[body..].find(mark) else { break };
        out.push_str(&rest[..start]);
        let behind = body + end + run;
        blank(&rest[start..behind], out);
        rest = &rest[behind..];
    }
    out.push_str(rest);
}

fn blank(text: &str, out: &mut String) {
    out.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}
