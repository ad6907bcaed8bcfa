//! What extensions can read of the screen at once.

use std::sync::Arc;

use omp_keys::Bindings;
use omp_theme::{Preset, Spinner, Symbol, Theme, Token};
use omp_tui::text::width::{clusters, text_width};
use omp_tui::text::{Color, Depth, Pen};
use omp_view::Look;
use serde_json::{Map, Value, json};

/// The longest text that is coloured or measured.
const LONGEST: usize = 256 * 1024;

/// The screen as it was drawn last.
#[derive(Default)]
pub(crate) struct ScreenFacts {
    pub(crate) theme: Option<Arc<Theme>>,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) links: bool,
    pub(crate) editor_text: String,
    pub(crate) tools_expanded: bool,
    pub(crate) git_branch: Option<String>,
    pub(crate) keys: Value,
}

impl ScreenFacts {
    pub(crate) fn terminal(&self) -> Value {
        let (columns, rows) = if self.columns == 0 { (80, 24) } else { (self.columns, self.rows) };
        json!({"columns": columns, "rows": rows, "hyperlinks": self.links, "trueColor": true, "images": null})
    }
}

/// A theme as extensions know it: what begins each colour, and the symbols.
pub(crate) fn theme(theme: &Theme) -> Value {
    let mut colors: (Map<String, Value>, Map<String, Value>) = Default::default();
    for token in Token::ALL {
        let color = theme.color(*token);
        match token.is_background() {
            true => colors.1.insert(token.name().to_owned(), opening(color, 4).into()),
            false => colors.0.insert(token.name().to_owned(), opening(color, 3).into()),
        };
    }
    let symbols: Map<String, Value> =
        Symbol::ALL.iter().map(|symbol| (symbol.key().to_owned(), theme.symbol(*symbol).into())).collect();
    let preset = match theme.preset() {
        Preset::Unicode => "unicode",
        Preset::Nerd => "nerd",
        Preset::Ascii => "ascii",
    };
    json!({
        "name": theme.name(), "appearance": if theme.is_light() { "light" } else { "dark" }, "mode": "truecolor",
        "fg": colors.0, "bg": colors.1, "symbols": symbols, "preset": preset, "spinner": theme.spinner(Spinner::Status),
    })
}

/// The escape sequence that begins a colour of text (3) or behind it (4).
fn opening(color: Color, ground: u8) -> String {
    match color {
        Color::Default => format!("\x1b[{ground}9m"),
        Color::Indexed(number) => format!("\x1b[{ground}8;5;{number}m"),
        Color::Rgb(red, green, blue) => format!("\x1b[{ground}8;2;{red};{green};{blue}m"),
    }
}

/// The keys of every action, by its id.
pub(crate) fn keys(bindings: &Bindings) -> Value {
    let spelled = |chord: &omp_keys::Chord| chord.to_string().to_lowercase();
    let entries = bindings.list().into_iter();
    let keys = entries.map(|entry| (entry.id, json!(entry.chords.iter().map(spelled).collect::<Vec<_>>())));
    Value::Object(keys.collect())
}

/// What is known of text without knowing the screen.
pub(crate) fn of_text(operation: &str, arguments: &Value, look: &Look) -> Option<Value> {
    let text = |name: &str| {
        let text = arguments[name].as_str().unwrap_or_default();
        &text[..text.floor_char_boundary(LONGEST)]
    };
    Some(match operation {
        "tui.width" => json!(text_width(text("text"))),
        "tui.graphemes" => json!(clusters(text("text")).map(|cluster| cluster.text).collect::<Vec<_>>()),
        "tui.highlight" => {
            let rows = omp_view::code::tagged(look, text("code"), text("lang"), look.fg(Token::MdCodeBlock));
            json!(rows.iter().map(written).collect::<Vec<_>>())
        }
        _ => return None,
    })
}

/// A row with its colours as escape sequences.
fn written(line: &omp_tui::text::Line) -> String {
    let mut pen = Pen::new(Depth::Direct, true);
    let mut bytes = Vec::new();
    pen.write(line.cells(), &mut bytes);
    pen.reset(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
