//! The colour of a session: people who have several open see which is which.

use omp_editor::{Border, Styles};
use omp_sdk::settings::keys;
use omp_theme::Token;
use omp_types::ThinkingLevel;
use omp_view::Look;

use super::App;
use super::draw::styles;

/// Colours that differ in every theme.
const COLORS: [Token; 8] = [
    Token::Accent,
    Token::Success,
    Token::Warning,
    Token::MdHeading,
    Token::MdLink,
    Token::SyntaxKeyword,
    Token::SyntaxString,
    Token::SyntaxNumber,
];

impl App {
    /// How the editor looks: where its border says nothing else, it has the colour of a session that has a name.
    pub(super) fn tinted<'a>(&self, look: &'a Look, border: Border) -> Styles<'a> {
        let free = matches!(border, Border::Normal | Border::Thinking(ThinkingLevel::Off));
        let session = self.session();
        let wanted = free && session.settings().get(keys::STATUS_LINE_SESSION_ACCENT);
        let mut styles = styles(look, border);
        if let Some(title) = session.header().title.filter(|_| wanted) {
            styles.border = look.fg(color(&title));
        }
        styles
    }
}

/// The same name has the same colour, today and tomorrow.
fn color(title: &str) -> Token {
    let sum = title.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    COLORS[sum as usize % COLORS.len()]
}
