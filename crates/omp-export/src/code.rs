//! Code in colour: comments, strings, numbers and the words of the language, which is what the eye looks for.
//!
//! A page must not need a grammar for every language, so this knows three ways to write comments and one list of
//! words, and leaves alone what it does not know.

use crate::diff;
use crate::markup::Html;

/// Longer code is shown in one colour.
const LONGEST: usize = 64 * 1024;
/// `'\u{10FFFF}'`
const LONGEST_CHARACTER: usize = 12;

/// Words of the usual languages.
const WORDS: &str = "\
    abstract and as async await break case catch class const continue crate declare def default defer \
    del delete do done echo elif else end enum esac except export extends extern false fi finally fn for \
    from func function go if impl implements import in interface is lambda let local loop match mod \
    module move mut namespace new nil none None not null or package pass private protected pub public \
    raise ref return select self Self static struct super switch then this throw trait true True False \
    try type typeof undefined union unsafe use using var virtual void where while with yield SELECT FROM \
    WHERE INSERT INTO UPDATE DELETE CREATE TABLE JOIN ON GROUP ORDER BY LIMIT VALUES AND OR NOT NULL AS";

/// How a language writes comments.
#[derive(Clone, Copy, PartialEq)]
enum Comments {
    /// As [`Comments::Slashes`], but a single quote may begin a lifetime.
    Rust,
    Slashes,
    Hash,
    Dashes,
    None,
}

/// Writes a block of code; `language` is what a fence or a file name's ending says.
pub(crate) fn block(language: &str, text: &str, html: &mut Html) {
    let language = language.trim().to_ascii_lowercase();
    if matches!(language.as_str(), "diff" | "patch") {
        return diff::show(text, html);
    }
    html.raw("<pre class=\"code\" tabindex=\"0\"");
    if !language.is_empty() && language.len() <= 20 {
        html.attribute("data-language", &language);
    }
    html.raw("><code>");
    match comments(&language).filter(|_| text.len() <= LONGEST) {
        Some(comments) => paint(comments, text, html),
        None => {
            html.text(text);
        }
    }
    html.raw("</code></pre>");
}

fn comments(language: &str) -> Option<Comments> {
    Some(match language {
        "rust" | "rs" => Comments::Rust,
        "js" | "javascript" | "mjs" | "cjs" | "jsx" | "ts" | "typescript" | "mts" | "tsx" | "java" | "c"
        | "h" | "cpp" | "c++" | "cc" | "hpp" | "go" | "swift" | "kotlin" | "kt" | "scala" | "csharp"
        | "cs" | "php" | "css" | "scss" | "dart" | "zig" | "jsonc" | "json5" | "proto" => Comments::Slashes,
        "python" | "py" | "sh" | "bash" | "shell" | "zsh" | "fish" | "console" | "yaml" | "yml" | "toml"
        | "ruby" | "rb" | "perl" | "pl" | "r" | "make" | "makefile" | "dockerfile" | "elixir" | "ex"
        | "nix" | "ini" | "conf" | "cmake" => Comments::Hash,
        "sql" | "lua" | "haskell" | "hs" | "elm" => Comments::Dashes,
        "json" | "jsonl" => Comments::None,
        _ => return None,
    })
}

fn paint(comments: Comments, text: &str, html: &mut Html) {
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let (class, length) = token(comments, rest, before);
        let (token, after) = rest.split_at(length.max(first.len_utf8()));
        match class {
            Some(class) => html.raw("<span class=\"").raw(class).raw("\">").text(token).raw("</span>"),
            None => html.text(token),
        };
        before = token.chars().next_back().unwrap_or(' ');
        rest = after;
    }
}

/// The class of the token at the beginning of `rest`, and its length in bytes.
fn token(comments: Comments, rest: &str, before: char) -> (Option<&'static str>, usize) {
    if let Some(length) = comment(comments, rest, before) {
        return (Some("tc"), length);
    }
    let first = rest.chars().next().unwrap_or(' ');
    if matches!(first, '"' | '`' | '\'')
        && let Some(length) = string(rest, first)
        && (first != '\'' || comments != Comments::Rust || length <= LONGEST_CHARACTER)
    {
        return (Some("ts"), length);
    }
    let word = |character: char| character.is_alphanumeric() || character == '_';
    if !word(first) {
        return (None, rest.find(|next: char| word(next) || "\"'`/#-".contains(next)).unwrap_or(rest.len()));
    }
    let length = rest.find(|next| !word(next)).unwrap_or(rest.len());
    let class = match &rest[..length] {
        _ if before == '.' => None,
        name if first.is_ascii_digit() && name.len() < 40 => Some("tn"),
        name if WORDS.split(' ').any(|word| word == name) => Some("tk"),
        _ if rest[length..].starts_with(['(', '!']) => Some("tf"),
        _ => None,
    };
    (class, length)
}

fn comment(comments: Comments, rest: &str, before: char) -> Option<usize> {
    let line = || rest.find('\n').unwrap_or(rest.len());
    match comments {
        Comments::Rust | Comments::Slashes if rest.starts_with("//") && before != ':' => Some(line()),
        Comments::Rust | Comments::Slashes if rest.starts_with("/*") => {
            Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
        }
        Comments::Hash if rest.starts_with('#') && (before.is_whitespace() || before == '\n') => Some(line()),
        Comments::Dashes if rest.starts_with("--") => Some(line()),
        _ => None,
    }
}

/// The length of a string with its quotes; `None` if it does not end, as an apostrophe or a lifetime.
fn string(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, next) in rest.char_indices().skip(1) {
        match next {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' => return None,
            _ if next == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(language: &str, text: &str) -> String {
        let mut html = Html::default();
        block(language, text, &mut html);
        html.as_str().to_owned()
    }

    #[test]
    fn colours_and_nothing_lost() {
        let code = painted("rust", "fn f<'a>() -> u8 { g(\"<b>\") } // 'end\n");
        assert!(code.contains("<span class=\"tk\">fn</span> f&lt;&#39;a&gt;() "), "{code}");
        assert!(code.contains("<span class=\"tf\">g</span>("), "{code}");
        assert!(code.contains("<span class=\"ts\">&quot;&lt;b&gt;&quot;</span>"), "{code}");
        assert!(code.contains("<span class=\"tc\">// &#39;end</span>"), "{code}");
        assert!(
            painted("py", "x = 1 # note").contains("<span class=\"tn\">1</span> <span class=\"tc\"># note")
        );
        assert!(painted("unheard", "if x").contains("<code>if x</code>"));
        assert!(painted("diff", "+a").contains("class=\"add\""));
    }

    proptest::proptest! {
        /// Painting adds tags and changes no character.
        #[test]
        fn the_text_stays(text in "[ -~\n\"'`/#é]{0,200}") {
            let mut plain = Html::default();
            plain.text(&text);
            for language in ["rust", "py", "sql", "json"] {
                let painted = painted(language, &text);
                let inner = painted.split_once("<code>").unwrap().1.strip_suffix("</code></pre>").unwrap();
                let mut shown = String::new();
                for (index, part) in inner.split('<').enumerate() {
                    shown.push_str(if index == 0 { part } else { part.split_once('>').unwrap().1 });
                }
                proptest::prop_assert_eq!(shown.as_str(), plain.as_str());
            }
        }
    }
}
