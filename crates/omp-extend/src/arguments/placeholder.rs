//! `$1`, `$@`, `$@[2:3]`, `$ARGUMENTS`.

/// What a placeholder stands for. Numbers are as written: the first argument is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholder {
    One(usize),
    All,
    Slice { first: usize, length: Option<usize> },
}

impl Placeholder {
    pub(super) fn value(self, arguments: &[String]) -> String {
        match self {
            Self::All => arguments.join(" "),
            Self::One(number) => slice(arguments, number, Some(1)),
            Self::Slice { first, length } => slice(arguments, first, length),
        }
    }
}

/// Arguments from `first` on; there is no argument 0.
fn slice(arguments: &[String], first: usize, length: Option<usize>) -> String {
    let Some(start) = first.checked_sub(1) else { return String::new() };
    let rest = arguments.get(start..).unwrap_or_default();
    let length = length.unwrap_or(rest.len()).min(rest.len());
    rest[..length].join(" ")
}

/// A stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplatePart<'a> {
    Text(&'a str),
    Placeholder(Placeholder),
}

/// Text and placeholders, in order.
pub(super) fn parts(text: &str) -> Vec<TemplatePart<'_>> {
    let mut found = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some(dollar) = text[at..].find('$').map(|offset| at + offset) {
        at = dollar + 1;
        if let Some((placeholder, length)) = parse(&text[at..]) {
            found.push(TemplatePart::Text(&text[begin..dollar]));
            found.push(TemplatePart::Placeholder(placeholder));
            at += length;
            begin = at;
        }
    }
    found.push(TemplatePart::Text(&text[begin..]));
    found
}

/// Reads what follows a dollar sign: a placeholder and its length.
fn parse(text: &str) -> Option<(Placeholder, usize)> {
    if let Some(rest) = text.strip_prefix("ARGUMENTS") {
        // `$ARGUMENTS_FILE` is a variable of somebody else.
        let ends = !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        return ends.then_some((Placeholder::All, "ARGUMENTS".len()));
    }
    if let Some(rest) = text.strip_prefix('@') {
        let slice = parse_slice(rest).map(|(slice, length)| (slice, length + 1));
        return Some(slice.unwrap_or((Placeholder::All, 1)));
    }
    let (digits, _) = leading_digits(text);
    // `$0` is the shell's, not ours.
    (!digits.is_empty() && !digits.starts_with('0')).then(|| (Placeholder::One(number(digits)), digits.len()))
}

/// `[2]`, `[2:3]` or `[2:]`.
fn parse_slice(text: &str) -> Option<(Placeholder, usize)> {
    let (first, rest) = leading_digits(text.strip_prefix('[')?);
    let (length, rest) = match rest.strip_prefix(':') {
        Some(rest) => leading_digits(rest),
        None => ("", rest),
    };
    let rest = rest.strip_prefix(']')?;
    if first.is_empty() {
        return None;
    }
    let length = (!length.is_empty()).then(|| number(length));
    Some((Placeholder::Slice { first: number(first), length }, text.len() - rest.len()))
}

fn leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()))
}

/// A number too large to count is past every argument.
fn number(digits: &str) -> usize {
    digits.parse().unwrap_or(usize::MAX)
}
