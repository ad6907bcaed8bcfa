//! Paths that were pasted or dropped onto the terminal.

/// Longest paste that is looked at for paths.
const LONGEST: usize = 16 * 1024;

/// Paths found in a paste that consists of paths alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Those of pictures.
    pub images: Vec<String>,
    /// The others.
    pub others: Vec<String>,
}

/// The pictures in a paste that is nothing but paths, as terminals write them: quoted, with `\ ` for blanks, as `file://`
/// URLs, one a line or several beside each other. `None` if no path is a picture by `is_image`.
pub fn dropped(text: &str, is_image: &dyn Fn(&str) -> bool) -> Option<Dropped> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let words = words(text).filter(|words| words.iter().all(|word| looks_like_path(word)));
    let (images, others): (Vec<_>, Vec<_>) =
        words.unwrap_or_default().into_iter().partition(|word| is_image(word));
    if !images.is_empty() {
        return Some(Dropped { images, others });
    }
    // A path with blanks and neither quotes nor escapes.
    let whole = !text.contains('\n') && looks_like_path(text) && is_image(text);
    whole.then(|| Dropped { images: vec![text.to_owned()], others: Vec::new() })
}

/// Absolute, from home, relative, or of a drive.
fn looks_like_path(word: &str) -> bool {
    let drive = word.as_bytes();
    let drive = matches!(drive, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    word.starts_with(['/', '.', '~']) || drive
}

/// The words of a line as a shell reads them; `None` if a quote is open.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), closing) if open == closing => quote = None,
            (Some(_), inside) => word.push(inside),
            (None, '\'' | '"') => quote = Some(character),
            // Before a letter a backslash is a separator of Windows.
            (None, '\\') if characters.peek().is_some_and(|next| !next.is_alphanumeric()) => {
                word.extend(characters.next());
            }
            (None, blank) if blank.is_whitespace() => words.push(std::mem::take(&mut word)),
            (None, other) => word.push(other),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    quote.is_none().then(|| words.iter().map(|word| local(word)).collect())
}

/// The path of a `file://` URL; other words as they are.
fn local(word: &str) -> String {
    let Some(rest) = word.strip_prefix("file://") else { return word.to_owned() };
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = decode(path);
    // `file:///C:/x` names a drive.
    match path.as_bytes() {
        [b'/', letter, b':', ..] if letter.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    }
}

/// Percent-encoding undone; what is not valid stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits =
            tail.get(..2).filter(|_| *first == b'%').filter(|two| two.iter().all(u8::is_ascii_hexdigit));
        match digits.and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
