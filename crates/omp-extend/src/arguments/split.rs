//! Takes the text after a command's name apart.

/// Splits on blanks and tabs; single and double quotes keep them together.
///
/// There are no escapes, an open quote runs to the end, and an empty quoted argument is none.
pub fn split(text: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut current = String::new();
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => current.push(letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, ' ' | '\t') => finish(&mut current, &mut arguments),
            (None, _) => current.push(letter),
        }
    }
    finish(&mut current, &mut arguments);
    arguments
}

fn finish(current: &mut String, arguments: &mut Vec<String>) {
    if !current.is_empty() {
        arguments.push(std::mem::take(current));
    }
}
