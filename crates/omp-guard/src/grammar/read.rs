//! From the text of a script to its items.

use super::scan::{Scan, expansion};
use super::{Item, Redirect, SimpleCommand, Unknown, Word, brace};

/// Groups within groups.
const DEEPEST: usize = 8;
/// Words of a script.
const MOST_WORDS: usize = 2048;

/// Words that begin a construct which is not judged.
const CONSTRUCTS: &[(&str, &str)] = &[
    ("if", "a condition"),
    ("then", "a condition"),
    ("elif", "a condition"),
    ("else", "a condition"),
    ("fi", "a condition"),
    ("for", "a loop"),
    ("while", "a loop"),
    ("until", "a loop"),
    ("select", "a loop"),
    ("do", "a loop"),
    ("done", "a loop"),
    ("case", "a case statement"),
    ("esac", "a case statement"),
    ("function", "a function"),
    ("coproc", "a coprocess"),
    ("[[", "an extended test"),
];

/// Reads a script from its beginning to its end.
pub(super) struct Reader<'t> {
    scan: Scan<'t>,
    items: Vec<Item>,
    /// Here-documents whose text begins on the next line: the delimiter, whether it is quoted, whether tabs are cut.
    documents: Vec<Document>,
    depth: usize,
    words: usize,
}

struct Document {
    delimiter: String,
    quoted: bool,
    tabs: bool,
}

/// What stands between two pipelines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    And,
    Or,
    Next,
    End,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, Unknown> {
        let strange = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
        if text.contains(strange) {
            return Err(Unknown::Syntax("a control character"));
        }
        Ok(Self { scan: Scan::new(text), items: Vec::new(), documents: Vec::new(), depth: 0, words: 0 })
    }

    pub(super) fn script(mut self) -> Result<Vec<Item>, Unknown> {
        self.list(None)?;
        match self.documents.is_empty() {
            true => Ok(self.items),
            false => Err(Unknown::Syntax("an unfinished here-document")),
        }
    }

    /// A list up to the end of the text or the word that closes its group.
    fn list(&mut self, close: Option<&str>) -> Result<(), Unknown> {
        loop {
            self.separators()?;
            if self.closes(close) {
                return Ok(());
            }
            if self.scan.peek().is_none() {
                return match close {
                    None => Ok(()),
                    Some(_) => Err(Unknown::Syntax("an unfinished group")),
                };
            }
            let begin = self.items.len();
            self.pipeline()?;
            let joint = self.joint()?;
            match joint {
                Joint::And => self.check(begin),
                Joint::Or | Joint::Next | Joint::End => self.items.push(Item::ChainEnds),
            }
        }
    }

    /// The directory that the last command enters is where the next one runs, or the next one does not run.
    fn check(&mut self, begin: usize) {
        if let [Item::Command(command)] = &mut self.items[begin..] {
            command.checked = true;
        }
    }

    fn closes(&mut self, close: Option<&str>) -> bool {
        match close {
            Some(")") => self.scan.take(")"),
            Some("}") => {
                let mut ahead = self.scan;
                let closes = ahead.word().is_ok_and(|word| word == "}");
                if closes {
                    self.scan = ahead;
                }
                closes
            }
            _ => false,
        }
    }

    fn separators(&mut self) -> Result<(), Unknown> {
        loop {
            self.scan.blanks();
            if self.scan.take("\n") {
                self.texts()?;
            } else if self.scan.starts(";;") || !self.scan.take(";") {
                return Ok(());
            }
        }
    }

    fn joint(&mut self) -> Result<Joint, Unknown> {
        self.scan.blanks();
        if self.scan.take("&&") {
            return self.after(Joint::And);
        }
        if self.scan.take("||") {
            return self.after(Joint::Or);
        }
        match self.scan.peek() {
            None => Ok(Joint::End),
            Some(')') => Ok(Joint::End),
            Some(';') if !self.scan.starts(";;") => {
                self.scan.skip(1);
                Ok(Joint::Next)
            }
            Some('\n') => {
                self.scan.skip(1);
                self.texts()?;
                Ok(Joint::Next)
            }
            Some('&') => Err(Unknown::Syntax("a background job")),
            Some('(') => Err(Unknown::Syntax("a function or an extended pattern")),
            Some(_) => Err(Unknown::Syntax("unsupported shell syntax")),
        }
    }

    /// Lines may end behind `&&`, `||` and `|`.
    fn after(&mut self, joint: Joint) -> Result<Joint, Unknown> {
        loop {
            self.scan.blanks();
            if !self.scan.take("\n") {
                break;
            }
            self.texts()?;
        }
        match self.scan.peek() {
            None => Err(Unknown::Syntax("an unfinished list")),
            Some(_) => Ok(joint),
        }
    }

    fn pipeline(&mut self) -> Result<(), Unknown> {
        let begin = self.items.len();
        let mut stages = 1;
        self.negation()?;
        self.stage()?;
        loop {
            self.scan.blanks();
            if self.scan.starts("||") || !(self.scan.take("|&") || self.scan.take("|")) {
                break;
            }
            self.after(Joint::Next)?;
            if stages == 1 {
                self.items.insert(begin, Item::Enter);
            }
            self.items.extend([Item::Leave, Item::Enter]);
            self.stage()?;
            stages += 1;
        }
        if stages > 1 {
            self.items.push(Item::Leave);
        }
        Ok(())
    }

    /// `!` and `time` before a pipeline change nothing of what it does.
    fn negation(&mut self) -> Result<(), Unknown> {
        loop {
            self.scan.blanks();
            let mut ahead = self.scan;
            match ahead.word() {
                Ok("!" | "time") => self.scan = ahead,
                _ => return Ok(()),
            }
        }
    }

    fn stage(&mut self) -> Result<(), Unknown> {
        self.scan.blanks();
        if self.scan.starts("((") {
            return Err(Unknown::Syntax("arithmetic"));
        }
        if self.scan.take("(") {
            return self.group(")");
        }
        let mut ahead = self.scan;
        if ahead.word().is_ok_and(|word| word == "{") {
            self.scan = ahead;
            return self.group("}");
        }
        self.simple()
    }

    fn group(&mut self, close: &str) -> Result<(), Unknown> {
        if self.depth >= DEEPEST {
            return Err(Unknown::Syntax("too many nested groups"));
        }
        self.depth += 1;
        let subshell = close == ")";
        self.items.extend(subshell.then_some(Item::Enter));
        self.list(Some(close))?;
        self.items.extend(subshell.then_some(Item::Leave));
        self.depth -= 1;
        let mut around = SimpleCommand::default();
        loop {
            self.scan.blanks();
            if !self.redirection(&mut around)? {
                break;
            }
        }
        if !around.redirects.is_empty() {
            self.items.push(Item::Command(Box::new(around)));
        }
        Ok(())
    }

    fn simple(&mut self) -> Result<(), Unknown> {
        let mut command = SimpleCommand::default();
        loop {
            self.scan.blanks();
            if self.redirection(&mut command)? {
                continue;
            }
            let raw = self.scan.word()?;
            if raw.is_empty() {
                break;
            }
            if raw.starts_with('{') && raw.ends_with('}') && (self.scan.starts("<") || self.scan.starts(">"))
            {
                // `{NAME}>file` sets the variable, which may be `PATH`.
                return Err(Unknown::Syntax("a redirection that sets a variable"));
            }
            self.argument(&mut command, raw)?;
        }
        if command == SimpleCommand::default() {
            return Err(Unknown::Syntax("unsupported shell syntax"));
        }
        self.items.push(Item::Command(Box::new(command)));
        Ok(())
    }

    fn argument(&mut self, command: &mut SimpleCommand, raw: &str) -> Result<(), Unknown> {
        if command.words.is_empty()
            && let Some((name, value)) = assignment(raw)?
        {
            command.assignments.push((name.to_owned(), Word::read(value)?));
            return Ok(());
        }
        for raw in brace::expand(raw)? {
            let word = Word::read(&raw)?;
            if command.words.is_empty() {
                construct(&word)?;
            }
            command.words.push(word);
            self.words += 1;
        }
        match self.words > MOST_WORDS {
            true => Err(Unknown::Syntax("too many words")),
            false => Ok(()),
        }
    }

    /// One redirection, if there is one.
    fn redirection(&mut self, command: &mut SimpleCommand) -> Result<bool, Unknown> {
        let mut ahead = self.scan;
        let digits = ahead.rest().bytes().take_while(u8::is_ascii_digit).count();
        ahead.skip(digits);
        if !(ahead.starts("<") || ahead.starts(">") || digits == 0 && ahead.starts("&>")) {
            return Ok(false);
        }
        self.scan = ahead;
        if self.scan.starts("<(") || self.scan.starts(">(") {
            return Err(Unknown::Syntax("process substitution"));
        }
        for (operator, kind) in OPERATORS {
            if self.scan.take(operator) {
                self.scan.blanks();
                if self.scan.starts("<(") || self.scan.starts(">(") {
                    return Err(Unknown::Syntax("process substitution"));
                }
                let raw = self.scan.word()?;
                return self.redirected(command, *kind, raw).map(|()| true);
            }
        }
        Err(Unknown::Syntax("an unusual redirection"))
    }

    fn redirected(
        &mut self,
        command: &mut SimpleCommand,
        kind: RedirectKind,
        raw: &str,
    ) -> Result<(), Unknown> {
        if raw.is_empty() {
            return Err(Unknown::Syntax("an unusual redirection"));
        }
        if let RedirectKind::Document { tabs } = kind {
            let quoted = raw.contains(['\'', '"', '\\']);
            let delimiter = Word::read(raw)?.known().map(str::to_owned);
            let delimiter = delimiter.ok_or(Unknown::Syntax("an unusual here-document"))?;
            self.documents.push(Document { delimiter, quoted, tabs });
            command.redirects.push(Redirect::Text);
            return Ok(());
        }
        let word = match brace::expand(raw)?.as_slice() {
            [one] => Word::read(one)?,
            _ => return Err(Unknown::Syntax("an unusual redirection")),
        };
        let descriptor =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let redirect = match kind {
            RedirectKind::Duplicate if word.known().is_some_and(descriptor) => return Ok(()),
            RedirectKind::Duplicate if word.known().is_none() => {
                return Err(Unknown::Syntax("an unusual redirection"));
            }
            RedirectKind::Input if word.known() == Some("/dev/null") => return Ok(()),
            RedirectKind::Duplicate | RedirectKind::Output if word.known() == Some("/dev/null") => {
                return Ok(());
            }
            RedirectKind::Duplicate | RedirectKind::Output => Redirect::Writes(word),
            RedirectKind::Input => Redirect::Reads(word),
            RedirectKind::Text | RedirectKind::Document { .. } => Redirect::Text,
            RedirectKind::Unusual => return Err(Unknown::Syntax("an unusual redirection")),
        };
        command.redirects.push(redirect);
        Ok(())
    }

    /// Moves over the here-documents that begin on this line.
    fn texts(&mut self) -> Result<(), Unknown> {
        for document in std::mem::take(&mut self.documents) {
            loop {
                let line = self.scan.line().ok_or(Unknown::Syntax("an unfinished here-document"))?;
                let line = if document.tabs { line.trim_start_matches('\t') } else { line };
                if line == document.delimiter {
                    break;
                }
                if !document.quoted {
                    plain_text(line)?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum RedirectKind {
    Input,
    Output,
    Duplicate,
    Text,
    Document { tabs: bool },
    Unusual,
}

/// Longer ones first.
const OPERATORS: &[(&str, RedirectKind)] = &[
    ("&>>", RedirectKind::Output),
    ("&>", RedirectKind::Output),
    ("<<<", RedirectKind::Text),
    ("<<-", RedirectKind::Document { tabs: true }),
    ("<<", RedirectKind::Document { tabs: false }),
    ("<>", RedirectKind::Unusual),
    ("<&", RedirectKind::Duplicate),
    (">&", RedirectKind::Duplicate),
    (">>", RedirectKind::Output),
    (">|", RedirectKind::Output),
    (">", RedirectKind::Output),
    ("<", RedirectKind::Input),
];

/// A line of a here-document in which variables are the only thing that the shell expands.
fn plain_text(line: &str) -> Result<(), Unknown> {
    if line.contains('`') {
        return Err(Unknown::Syntax("command substitution"));
    }
    if line.contains('\\') {
        return Err(Unknown::Syntax("an escape in a here-document"));
    }
    for (at, _) in line.match_indices('$') {
        expansion(&line[at..])?;
    }
    Ok(())
}

/// `NAME=value` before a program.
fn assignment(raw: &str) -> Result<Option<(&str, &str)>, Unknown> {
    let end = raw.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(raw.len());
    let name = &raw[..end];
    if name.is_empty() || name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Ok(None);
    }
    if raw[end..].starts_with('[') && raw.contains('=') {
        return Err(Unknown::Syntax("a subscript"));
    }
    let value = raw[end..].strip_prefix('=').or_else(|| raw[end..].strip_prefix("+="));
    Ok(value.map(|value| (name, value)))
}

fn construct(word: &Word) -> Result<(), Unknown> {
    match CONSTRUCTS.iter().find(|(name, _)| word.is_bare(name)) {
        Some((_, construct)) => Err(Unknown::Syntax(construct)),
        None => Ok(()),
    }
}
