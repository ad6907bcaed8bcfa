//! Which ink a character is printed with.

use crate::script::Letter;

/// How a shape uses its inks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ink {
    /// Each sentence has a colour, in turn.
    sentences: bool,
    /// Words that carry little are gray.
    dim: bool,
}

impl Ink {
    pub(crate) const BLACK: Self = Self { sentences: false, dim: false };
    pub(crate) const DIM: Self = Self { sentences: false, dim: true };
    pub(crate) const SENTENCES: Self = Self { sentences: true, dim: false };
    pub(crate) const SENTENCES_DIM: Self = Self { sentences: true, dim: true };
}

/// Places in the palette.
pub(crate) const PAPER: u8 = 0;
pub(crate) const INK: u8 = 1;
pub(crate) const GRAY: u8 = 2;
const FIRST_HUE: u8 = 3;
const HUES: u8 = 6;

/// Red, green and blue of every place: paper, ink, gray, then dark colours that are easy to tell apart.
pub(crate) const PALETTE: [[u8; 3]; 9] = [
    [255, 255, 255],
    [0, 0, 0],
    [112, 112, 112],
    [20, 45, 160],
    [150, 25, 25],
    [10, 100, 45],
    [105, 30, 140],
    [0, 100, 115],
    [120, 70, 0],
];

/// Words that say little by themselves.
const STOPWORDS: &[&str] = &[
    "a", "about", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "i", "if", "in", "into",
    "is", "it", "its", "just", "me", "my", "of", "on", "or", "our", "she", "should", "so", "some", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "was",
    "we", "were", "which", "will", "with", "would", "you", "your",
];

/// The palette's place for each letter.
pub(crate) fn inks(letters: &[Letter], ink: Ink) -> Vec<u8> {
    let mut inks = vec![INK; letters.len()];
    if ink.sentences {
        colour_sentences(letters, &mut inks);
    }
    if ink.dim {
        dim_stopwords(letters, &mut inks);
    }
    for (place, letter) in inks.iter_mut().zip(letters) {
        if letter.dim {
            *place = GRAY;
        }
    }
    inks
}

fn colour_sentences(letters: &[Letter], inks: &mut [u8]) {
    let mut sentence: u8 = 0;
    let mut ended = false;
    for (place, letter) in inks.iter_mut().zip(letters) {
        if ended && letter.character == ' ' {
            sentence = (sentence + 1) % HUES;
        }
        ended = matches!(letter.character, '.' | '!' | '?');
        *place = FIRST_HUE + sentence;
    }
}

fn dim_stopwords(letters: &[Letter], inks: &mut [u8]) {
    let mut start = 0;
    while start < letters.len() {
        let is_word =
            |letter: &&Letter| letter.character.is_alphanumeric() || "_-/.".contains(letter.character);
        let length = letters.iter().skip(start).take_while(is_word).count();
        let word: String = letters.iter().skip(start).take(length).map(|letter| letter.character).collect();
        if STOPWORDS.binary_search(&word.trim_end_matches('.').to_ascii_lowercase().as_str()).is_ok() {
            inks.iter_mut().skip(start).take(length).for_each(|place| *place = GRAY);
        }
        start += length.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Script, Span};

    fn of(text: &str, ink: Ink) -> String {
        let script = Script { spans: vec![Span::plain(text)] };
        inks(&script.letters(), ink).iter().map(u8::to_string).collect()
    }

    #[test]
    fn words_of_little_weight_are_gray() {
        assert_eq!(of("read the file", Ink::DIM), "1111122211111");
        assert_eq!(of("The end", Ink::DIM), "2221111");
        assert_eq!(of("a.rs the.", Ink::DIM), "111112222");
        assert!(STOPWORDS.is_sorted());
    }

    #[test]
    fn sentences_change_colour() {
        assert_eq!(of("A b. C", Ink::SENTENCES), "333344");
        assert_eq!(of("v1.2 x", Ink::SENTENCES), "333333");
    }

    #[test]
    fn tools_are_gray_in_every_ink() {
        let script = Script { spans: vec![Span::plain("x "), Span::dim("y")] };
        for ink in [Ink::BLACK, Ink::DIM, Ink::SENTENCES, Ink::SENTENCES_DIM] {
            assert_eq!(inks(&script.letters(), ink).last(), Some(&GRAY));
        }
    }
}
