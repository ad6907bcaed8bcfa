//! Text as words that can be compared.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The words of a text: without accents, in lower case, apart where a name in camel case has a seam.
pub(super) fn words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let (mut words, mut word) = (Vec::new(), String::new());
    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        if !c.is_alphanumeric() || seam(before, *c, letters.get(at + 1).copied()) {
            finish(&mut words, &mut word);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    finish(&mut words, &mut word);
    words
}

/// `aB` and `2B` are two words, and so are the acronym and the name in `ABCd`.
fn seam(before: Option<char>, here: char, after: Option<char>) -> bool {
    let Some(before) = before.filter(|_| here.is_uppercase()) else { return false };
    before.is_lowercase()
        || before.is_numeric()
        || (before.is_uppercase() && after.is_some_and(char::is_lowercase))
}

fn finish(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    /// proves: TSN-097
    #[test]
    fn names_and_sentences_become_words() {
        assert_eq!(words("getHTTPServer2Config"), ["get", "http", "server2", "config"]);
        assert_eq!(words("Café Zoë ÅNGSTRÖM naïve"), ["cafe", "zoe", "angstrom", "naive"]);
        assert_eq!(words("ﬁle①Ⅷ"), ["file1", "viii"]);
        assert_eq!(words("mcp__git-hub_list.issues(42)"), ["mcp", "git", "hub", "list", "issues", "42"]);
        assert_eq!(
            words("parseXML parseXMLFile XMLHttp A1B"),
            ["parse", "xml", "parse", "xml", "file", "xml", "http", "a1", "b"]
        );
        assert_eq!(words("Привет-МИР 東京"), ["привет", "мир", "東京"]);
        assert_eq!(words(" --- !? "), Vec::<String>::new());
    }
}
