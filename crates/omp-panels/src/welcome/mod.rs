//! What the program begins with: what it is, what it works with, what can be gone on with.

use omp_theme::Token;
use omp_tui::text::{Line, Style};
use omp_view::Look;

use crate::list_rows::one_line;

/// Names of sessions get no more cells than this.
const WIDEST_NAME: usize = 48;

/// What there is to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Welcome {
    /// The program's version.
    pub version: String,
    /// The model that answers.
    pub model: String,
    /// Where the session works, as people write it.
    pub directory: String,
    /// What the folder holds; empty if that is unknown.
    pub project: String,
    /// The keys that a newcomer should know.
    pub keys: String,
    /// Something worth knowing, another thing each time; empty for nothing.
    pub tip: String,
    /// What could be asked for here.
    pub examples: Vec<String>,
    /// Names of the sessions that were used last, and how long ago that was.
    pub recent: Vec<(String, String)>,
}

impl Welcome {
    /// As rows.
    pub fn rows(&self, look: &Look) -> Vec<Line> {
        let mut title = Line::styled(look.bold(Token::Accent), "omp ");
        title.push(look.fg(Token::Muted), &self.version);
        let mut rows = vec![look.shortened(&title, look.width)];
        let facts: Vec<String> = [&self.model, &self.directory]
            .into_iter()
            .filter(|fact| !fact.is_empty())
            .map(|fact| one_line(fact))
            .collect();
        rows.extend(look.wrapped(Token::Muted, &facts.join(&look.dot()), 2));
        if !self.project.is_empty() {
            rows.extend(look.wrapped(Token::Muted, &look.hint(&self.project), 2));
        }
        rows.extend(look.wrapped(Token::Dim, &look.hint(&self.keys), 2));
        if !self.tip.is_empty() {
            rows.extend(look.wrapped(Token::Dim, &format!("Tip: {}", self.tip), 2));
        }
        if !self.examples.is_empty() {
            rows.push(Line::new());
            rows.push(look.row(Token::Muted, "Try"));
            let rows_of = |example: &String| look.wrapped(Token::Text, &format!("  {example}"), 4);
            rows.extend(self.examples.iter().flat_map(rows_of));
        }
        if !self.recent.is_empty() {
            rows.push(Line::new());
            rows.push(look.row(Token::Muted, "Recent sessions (/resume)"));
            rows.extend(self.recent_rows(look));
        }
        rows
    }

    fn recent_rows(&self, look: &Look) -> Vec<Line> {
        let names: Vec<String> = self.recent.iter().map(|(name, _)| one_line(name)).collect();
        let ages = self.recent.iter().map(|(_, age)| Line::plain(age).width()).max().unwrap_or(0);
        let widest = names.iter().map(|name| Line::plain(name).width()).max().unwrap_or(0);
        let room = widest.min(WIDEST_NAME).min(look.width.saturating_sub(ages + 4));
        let row = |(name, (_, age)): (&String, &(String, String))| {
            let name = Line::styled(look.fg(Token::Text), name);
            let mut line = Line::plain("  ");
            line.append(&look.shortened(&name, room).fit(room, Style::PLAIN));
            line.push(look.fg(Token::Dim), &format!("  {age}"));
            look.shortened(&line, look.width)
        };
        names.iter().zip(&self.recent).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use omp_theme::Theme;

    use super::*;

    fn texts(welcome: &Welcome, width: usize) -> Vec<String> {
        let look = Look::new(Theme::built_in("titanium").unwrap(), width);
        let rows = welcome.rows(&look);
        assert!(rows.iter().all(|row| row.width() <= width));
        rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
    }

    #[test]
    fn everything_is_told_in_order() {
        let mut welcome = Welcome {
            version: "1.2.3".to_owned(),
            model: "provider/model".to_owned(),
            directory: "~/project".to_owned(),
            keys: "/help: commands".to_owned(),
            ..Welcome::default()
        };
        assert_eq!(texts(&welcome, 60), ["omp 1.2.3", "provider/model · ~/project", "/help: commands"]);
        let told = Welcome {
            project: "Rust project · tests: cargo test".to_owned(),
            tip: "@ mentions a file".to_owned(),
            examples: vec!["Explain this".to_owned(), "Run cargo test and fix what fails".to_owned()],
            ..welcome.clone()
        };
        assert_eq!(
            texts(&told, 30)[2..],
            [
                "Rust project · tests: cargo",
                "  test",
                "/help: commands",
                "Tip: @ mentions a file",
                "",
                "Try",
                "  Explain this",
                "  Run cargo test and fix what",
                "    fails"
            ]
        );
        welcome.recent = vec![
            ("Fix the\nparser".to_owned(), "2h ago".to_owned()),
            ("Explain".to_owned(), "3d ago".to_owned()),
        ];
        assert_eq!(
            texts(&welcome, 60)[3..],
            ["", "Recent sessions (/resume)", "  Fix the parser  2h ago", "  Explain         3d ago"]
                .map(str::to_owned)
        );
        assert_eq!(
            texts(&welcome, 20),
            [
                "omp 1.2.3",
                "provider/model ·",
                "  ~/project",
                "/help: commands",
                "",
                "Recent sessions (/r…",
                "  Fix the p…  2h ago",
                "  Explain     3d ago"
            ]
        );
        texts(&welcome, 1);
    }
}
