//! Finds the `{{…}}` in a text and tells which of them are about our arguments.

/// A longer tag is not one of ours; it also keeps the parser's recursion shallow.
const LONGEST: usize = 256;

/// What a stretch of a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanKind {
    Text,
    /// A tag about something that we do not know: it stays as written.
    Foreign,
    /// `{{args}}`: the list as a text, which the engine would write in its own notation.
    AllArguments,
    /// A tag for the engine; `arguments` if it stands for arguments.
    Template {
        arguments: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) kind: SpanKind,
}

/// Takes a body apart. Together the pieces are the body, but for the backslash of `\{{`.
pub(super) fn scan(body: &str) -> Vec<Piece<'_>> {
    let mut scanner = Scanner { pieces: Vec::new(), blocks: Vec::new() };
    let mut rest = body;
    while let Some(start) = rest.find("{{") {
        let escaped = rest[..start].ends_with('\\');
        scanner.push(&rest[..start - usize::from(escaped)], SpanKind::Text);
        rest = &rest[start..];
        let length = match tag(rest) {
            Some((length, inner)) if !escaped => {
                let kind = scanner.classify(inner, length);
                scanner.push(&rest[..length], kind);
                length
            }
            found => {
                let length = found.map_or("{{".len(), |(length, _)| length);
                scanner.push(&rest[..length], SpanKind::Foreign);
                length
            }
        };
        rest = &rest[length..];
    }
    scanner.push(rest, SpanKind::Text);
    scanner.pieces
}

/// The length of the tag that `text` begins with, and what is in it. Nothing if it does not end.
fn tag(text: &str) -> Option<(usize, &str)> {
    let braces = text.bytes().take_while(|byte| *byte == b'{').count().min(4);
    let close = &"}}}}"[..braces];
    let inner = &text[braces..];
    let comment = braces == 2 && inner.trim_start_matches('~').starts_with("!--");
    let (end, close) = if comment { (inner.find("--}}")? + 2, "}}") } else { (inner.find(close)?, close) };
    let inside = &inner[..end];
    // `{{ a {{b}}`: the first pair is text.
    (comment || !inside.contains("{{")).then_some((braces + end + close.len(), inside))
}

/// A block that is open.
struct Block<'a> {
    name: &'a str,
    ours: bool,
    /// Names that the block gives to its items.
    locals: Vec<&'a str>,
}

struct Scanner<'a> {
    pieces: Vec<Piece<'a>>,
    blocks: Vec<Block<'a>>,
}

impl<'a> Scanner<'a> {
    fn push(&mut self, text: &'a str, kind: SpanKind) {
        if !text.is_empty() {
            self.pieces.push(Piece { text, kind });
        }
    }

    fn classify(&mut self, inner: &'a str, length: usize) -> SpanKind {
        if inner.trim_matches('~').starts_with('!') {
            return SpanKind::Template { arguments: false };
        }
        if length > LONGEST || inner.starts_with('{') {
            return SpanKind::Foreign;
        }
        let expression = inner.trim_matches('~').trim();
        let name = expression.get(1..).unwrap_or_default();
        match expression.as_bytes().first() {
            Some(b'#') => self.open(name),
            Some(b'/') => self.close(name.trim()),
            Some(b'>' | b'*') => SpanKind::Foreign,
            Some(b'^') => self.turn(),
            _ if expression == "else" || expression.starts_with("else ") => self.turn(),
            _ if matches!(inner.trim_start_matches('&').trim(), "args") => SpanKind::AllArguments,
            _ => template(self.is_ours(expression.trim_start_matches('&'))),
        }
    }

    fn open(&mut self, expression: &'a str) -> SpanKind {
        let (name, parameters) = expression.split_once(char::is_whitespace).unwrap_or((expression, ""));
        let ours = matches!(name, "if" | "unless" | "each" | "with") && self.is_ours(parameters);
        let locals = parameters.split_once(" as |").map(|(_, names)| names.trim_end_matches(['|', ' ']));
        let locals = locals.unwrap_or_default().split_whitespace().collect();
        self.blocks.push(Block { name, ours, locals });
        template(ours)
    }

    fn close(&mut self, name: &str) -> SpanKind {
        match self.blocks.pop_if(|block| block.name == name) {
            Some(block) if block.ours => SpanKind::Template { arguments: false },
            _ => SpanKind::Foreign,
        }
    }

    /// `{{else}}` belongs to the innermost block.
    fn turn(&self) -> SpanKind {
        match self.blocks.last() {
            Some(block) if block.ours => SpanKind::Template { arguments: false },
            _ => SpanKind::Foreign,
        }
    }

    /// Whether an expression mentions our arguments, or what a block of ours makes of them.
    fn is_ours(&self, expression: &str) -> bool {
        let mut words = expression.split(|letter: char| letter.is_whitespace() || "()=|".contains(letter));
        words.any(|word| self.names_arguments(word))
    }

    fn names_arguments(&self, word: &str) -> bool {
        let root = word.split(['.', '/', '[']).next().unwrap_or_default();
        let inside = self.blocks.iter().any(|block| block.ours);
        let item = word.starts_with(['.', '@']) || root == "this";
        matches!(root, "args" | "ARGUMENTS" | "arguments")
            || inside && (item || self.blocks.iter().any(|block| block.locals.contains(&root)))
    }
}

fn template(ours: bool) -> SpanKind {
    if ours { SpanKind::Template { arguments: true } } else { SpanKind::Foreign }
}
