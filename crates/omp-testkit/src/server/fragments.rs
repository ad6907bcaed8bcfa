//! Cutting text into deltas.

/// Sizes that fall inside words, escapes and numbers sooner or later.
const AWKWARD: [usize; 7] = [1, 4, 9, 2, 6, 13, 3];

/// Pieces of `size` characters.
pub(crate) fn even(text: &str, size: usize) -> Vec<&str> {
    cut(text, |_| size)
}

/// Pieces of `size` characters, or of awkward sizes when none is given.
pub(crate) fn arguments(text: &str, size: Option<usize>) -> Vec<&str> {
    cut(text, |piece| size.unwrap_or(AWKWARD[piece % AWKWARD.len()]))
}

fn cut(text: &str, size: impl Fn(usize) -> usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(size(pieces.len())).map_or(rest.len(), |(offset, _)| offset);
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_concatenate_to_the_text() {
        let text = r#"{"a":"ä\n\u0001€","b":[1,2.5]}"#;
        assert_eq!(arguments(text, None).concat(), text);
        assert_eq!(even(text, 3).concat(), text);
        assert!(even("", 3).is_empty());
    }

    #[test]
    fn default_argument_sizes_cut_inside_escapes() {
        let text = serde_json::json!({"c": "\n".repeat(40)}).to_string();
        let inside = |piece: &&str| piece.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
        assert!(arguments(&text, None).iter().any(inside));
    }
}
