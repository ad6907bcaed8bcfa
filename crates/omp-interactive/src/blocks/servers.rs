//! The language servers of the project, below the greeting.

use std::sync::Arc;

use omp_sdk::{LanguageServer, ServerState};
use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use omp_tui::transcript::Block;
use omp_view::{Cached, Look};

use super::apart;
use crate::stage::Stage;

/// So many servers get a row.
const MOST_SHOWN: usize = 12;
/// What is wrong with a server takes no more rows than this.
const MOST_ROWS: usize = 4;

/// A list that comes after the first frame, and changes once more if servers are started.
pub(crate) struct Servers {
    stage: Stage,
    known: Vec<LanguageServer>,
    version: u64,
    settled: bool,
    cached: Cached,
}

impl Servers {
    pub(crate) fn new(stage: Stage) -> Self {
        Self { stage, known: Vec::new(), version: 0, settled: false, cached: Cached::default() }
    }

    /// What is known now.
    pub(crate) fn set(&mut self, known: Vec<LanguageServer>) {
        self.known = known;
        self.version += 1;
    }

    /// It stays as it is.
    pub(crate) fn settle(&mut self) {
        self.settled = true;
    }
}

impl Block for Servers {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let look = self.stage.look(width);
        self.cached.rows(&look, self.version, || apart(rows(&look, &self.known)))
    }

    fn is_final(&self) -> bool {
        self.settled
    }
}

fn rows(look: &Look, known: &[LanguageServer]) -> Vec<Line> {
    if known.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![look.row(Token::Muted, "Language servers")];
    rows.extend(known.iter().take(MOST_SHOWN).flat_map(|server| server_rows(look, server)));
    if known.len() > MOST_SHOWN {
        rows.push(look.row(Token::Dim, &format!("  and {} more", known.len() - MOST_SHOWN)));
    }
    rows
}

fn server_rows(look: &Look, server: &LanguageServer) -> Vec<Line> {
    let (token, said) = match &server.state {
        ServerState::Available => (Token::Dim, "available"),
        ServerState::Ready => (Token::Success, "ready"),
        ServerState::Failed(why) => (Token::Error, why.as_str()),
    };
    let mut line = Line::plain("  ");
    line.push(look.fg(token), look.symbol(Symbol::StatusEnabled));
    line.push(look.fg(Token::Text), &format!(" {}", server.name));
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    line.push(look.fg(Token::Dim), &format!("  {said}"));
    let mut rows = line.wrap(look.width, 4);
    rows.truncate(MOST_ROWS);
    rows
}

#[cfg(test)]
mod tests {
    use omp_theme::Theme;

    use super::*;

    fn server(name: &str, state: ServerState) -> LanguageServer {
        LanguageServer { name: name.to_owned(), state }
    }

    #[test]
    fn each_server_has_a_dot_in_the_colour_of_its_state() {
        let look = Look::new(Theme::built_in("titanium").unwrap(), 40);
        assert!(rows(&look, &[]).is_empty());
        let failed = ServerState::Failed("broken cannot\nbe started: it takes too long".to_owned());
        let known = [
            server("gopls", ServerState::Available),
            server("pylsp", ServerState::Ready),
            server("broken", failed),
        ];
        let rows = rows(&look, &known);
        let texts: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
        assert_eq!(
            texts,
            [
                "Language servers",
                "  ● gopls  available",
                "  ● pylsp  ready",
                "  ● broken  broken cannot be started: it",
                "    takes too long"
            ]
        );
        let dot = |row: &Line| row.spans().iter().find(|span| span.text() == "●").unwrap().style();
        let colours: Vec<_> = rows[1..4].iter().map(dot).collect();
        assert_eq!(colours, [Token::Dim, Token::Success, Token::Error].map(|token| look.fg(token)));
    }

    #[test]
    fn a_long_list_is_cut() {
        let look = Look::new(Theme::built_in("titanium").unwrap(), 40);
        let known: Vec<LanguageServer> =
            (0..20).map(|number| server(&format!("server-{number}"), ServerState::Available)).collect();
        let rows = rows(&look, &known);
        assert_eq!(rows.len(), 1 + MOST_SHOWN + 1);
        assert_eq!(rows.last().unwrap().text().trim_end(), "  and 8 more");
    }
}
