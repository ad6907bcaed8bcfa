//! The one way for text to become HTML.

use std::fmt::Display;
use std::io::{self, Write};

/// Markup that is being written. Constants go in as they are; everything else is escaped, because the type leaves
/// no other way.
#[derive(Debug, Default)]
pub(crate) struct Html(String);

impl Html {
    /// Markup of our own.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text between tags. Characters that reorder or hide what follows them are shown by their names.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            if reorders(character) {
                self.raw("<span class=\"ctl\">U+").display(format_args!("{:04X}", u32::from(character)));
                self.raw("</span>");
            } else {
                self.push(character);
            }
        }
        self
    }

    /// Text where no tags are possible: attributes and the title.
    pub(crate) fn plain(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            self.push(if reorders(character) { '\u{fffd}' } else { character });
        }
        self
    }

    /// ` name="value"`.
    pub(crate) fn attribute(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").plain(value).raw("\"")
    }

    /// Something whose text is known to be harmless: a number, or a name made of one.
    pub(crate) fn display(&mut self, value: impl Display) -> &mut Self {
        self.plain(&value.to_string())
    }

    /// Base64, which needs no escaping. What is not base64 is left out and `false` returned.
    pub(crate) fn base64(&mut self, data: &str) -> bool {
        let valid = data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
        if valid {
            self.0.push_str(data);
        }
        valid
    }

    /// Writes what there is, and starts again.
    pub(crate) fn drain(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.0.as_bytes())?;
        self.0.clear();
        // One huge entry must not keep its memory until the end.
        self.0.shrink_to(1 << 20);
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    fn push(&mut self, character: char) {
        match character {
            '&' => self.0.push_str("&amp;"),
            '<' => self.0.push_str("&lt;"),
            '>' => self.0.push_str("&gt;"),
            '"' => self.0.push_str("&quot;"),
            '\'' => self.0.push_str("&#39;"),
            '\n' | '\t' => self.0.push(character),
            '\r' => {}
            '\u{7f}' => self.0.push('␡'),
            // Control characters have pictures of their own.
            '\0'..' ' => self.0.extend(char::from_u32(0x2400 + u32::from(character))),
            '\u{80}'..='\u{9f}' | '\u{fdd0}'..='\u{fdef}' => self.0.push('\u{fffd}'),
            _ if u32::from(character) & 0xfffe == 0xfffe => self.0.push('\u{fffd}'),
            _ => self.0.push(character),
        }
    }
}

/// Overrides and isolates of the direction of text can make code read differently from what it is.
fn reorders(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_escaped() {
        let mut html = Html::default();
        html.raw("<p").attribute("title", "\" onclick='x' \u{202e}<&>").raw(">");
        html.text("</p><script>\0\u{1b}[31m\r\n\u{202e}abc\u{ffff}").raw("</p>");
        assert_eq!(
            html.as_str(),
            "<p title=\"&quot; onclick=&#39;x&#39; \u{fffd}&lt;&amp;&gt;\">&lt;/p&gt;&lt;script&gt;␀␛[31m\n\
             <span class=\"ctl\">U+202E</span>abc\u{fffd}</p>"
        );
        assert!(!html.base64("AAAA\"><script>") && html.base64("AA+/=="));
    }
}
