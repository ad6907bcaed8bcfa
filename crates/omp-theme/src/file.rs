//! Theme files: JSON with a name, 66 colours, and what they may be built from.

use omp_tui::text::Color;
use serde_json::{Map, Value};

use crate::error::{Mistakes, ThemeError};
use crate::export::ExportColors;
use crate::spinner::Spinner;
use crate::symbol::{Preset, Symbol};
use crate::theme::{Symbols, Theme};
use crate::token::Token;
use crate::vars::{Vars, kind};

/// Reads a theme. Either it is complete and right, or every mistake is named.
pub(crate) fn parse(json: &str) -> Result<Theme, ThemeError> {
    let value: Value = serde_json::from_str(json.trim_start_matches('\u{feff}'))?;
    let mut reader = Reader::default();
    let theme = reader.theme(&value);
    match theme {
        Some(theme) if reader.mistakes.is_empty() => Ok(Theme { notes: reader.notes, ..theme }),
        _ => Err(ThemeError::Invalid(reader.mistakes)),
    }
}

#[derive(Default)]
struct Reader {
    mistakes: Mistakes,
    notes: Vec<String>,
}

impl Reader {
    fn theme(&mut self, value: &Value) -> Option<Theme> {
        let Value::Object(file) = value else {
            self.mistakes.add("/", format!("expected an object, found {}", kind(value)));
            return None;
        };
        let name = match file.get("name") {
            Some(Value::String(name)) if !name.is_empty() => name.clone(),
            Some(other) => self.wrong("/name", "expected a name", other),
            None => self.absent("/name", "a theme needs a \"name\""),
        };
        let vars = Vars(self.object(file, "", "vars"));
        for (name, value) in vars.0.into_iter().flatten() {
            if let Err(expected) = vars.resolve(value) {
                self.mistakes.add(format!("/vars/{name}"), expected);
            }
        }
        let colors = self.colors(file, &vars);
        let export = self.export(file, &vars);
        let symbols = self.symbols(file);
        Some(Theme { name, colors, frames: symbols.frames(), symbols, export, notes: Vec::new() })
    }

    fn wrong<T: Default>(&mut self, path: &str, expected: &str, found: &Value) -> T {
        self.mistakes.add(path, format!("{expected}, found {}", kind(found)));
        T::default()
    }

    fn absent<T: Default>(&mut self, path: &str, expected: &str) -> T {
        self.mistakes.add(path, expected);
        T::default()
    }

    fn object<'a>(
        &mut self,
        of: &'a Map<String, Value>,
        at: &str,
        key: &str,
    ) -> Option<&'a Map<String, Value>> {
        match of.get(key) {
            None => None,
            Some(Value::Object(object)) => Some(object),
            Some(other) => self.wrong(&format!("{at}/{key}"), "expected an object", other),
        }
    }

    fn colors(&mut self, file: &Map<String, Value>, vars: &Vars<'_>) -> Vec<Color> {
        let Some(colors) = self.object(file, "", "colors") else {
            if !file.contains_key("colors") {
                self.mistakes.missing.extend(Token::ALL);
            }
            return Vec::new();
        };
        for key in colors.keys().filter(|key| Token::find(key).is_none()) {
            self.notes.push(format!("/colors/{key}: unknown color ignored"));
        }
        let mut found = Vec::with_capacity(Token::ALL.len());
        for token in Token::ALL {
            match colors.get(token.name()).map(|value| vars.resolve(value)) {
                None => self.mistakes.missing.push(*token),
                Some(Err(expected)) => self.mistakes.add(format!("/colors/{}", token.name()), expected),
                Some(Ok(color)) => found.push(color),
            }
        }
        found
    }

    fn export(&mut self, file: &Map<String, Value>, vars: &Vars<'_>) -> ExportColors {
        let Some(export) = self.object(file, "", "export") else { return ExportColors::default() };
        let mut color = |key: &str| match vars.resolve(export.get(key)?) {
            Ok(color) => Some(color),
            Err(expected) => {
                self.mistakes.add(format!("/export/{key}"), expected);
                None
            }
        };
        ExportColors { page: color("pageBg"), card: color("cardBg"), info: color("infoBg") }
    }

    fn symbols(&mut self, file: &Map<String, Value>) -> Symbols {
        let mut symbols = Symbols::default();
        let Some(given) = self.object(file, "", "symbols") else { return symbols };
        symbols.preset = match given.get("preset") {
            None => None,
            Some(Value::String(name)) if Preset::find(name).is_some() => Preset::find(name),
            Some(other) => self.wrong("/symbols/preset", "expected unicode, nerd or ascii", other),
        };
        for (key, value) in self.object(given, "/symbols", "overrides").into_iter().flatten() {
            let path = format!("/symbols/overrides/{key}");
            match (Symbol::find(key), value) {
                (Some(symbol), Value::String(text)) => symbols.overrides.push((symbol, text.clone())),
                (Some(_), other) => self.wrong(&path, "expected a string", other),
                (None, _) => self.notes.push(format!("{path}: unknown symbol ignored")),
            }
        }
        match given.get("spinnerFrames") {
            None => {}
            Some(Value::Array(_)) => {
                let frames = self.frames(given, "/symbols", "spinnerFrames");
                symbols.spinners = [frames.clone(), frames];
            }
            Some(Value::Object(kinds)) => {
                symbols.spinners =
                    Spinner::ALL.map(|kind| self.frames(kinds, "/symbols/spinnerFrames", kind.name()));
            }
            Some(other) => {
                self.wrong::<()>("/symbols/spinnerFrames", "expected a list of strings or an object", other);
            }
        }
        symbols
    }

    /// A list of frames, if there is one. An empty list would show nothing, so it is a mistake.
    fn frames(&mut self, of: &Map<String, Value>, at: &str, key: &str) -> Option<Vec<String>> {
        let value = of.get(key)?;
        let frames = value.as_array().and_then(|list| {
            list.iter().map(|frame| frame.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
        });
        match frames {
            Some(frames) if !frames.is_empty() => Some(frames),
            _ => self.wrong(&format!("{at}/{key}"), "expected a list of at least one string", value),
        }
    }
}
