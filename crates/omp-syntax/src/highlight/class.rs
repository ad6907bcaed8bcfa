//! What a piece of source text is, as far as its colour goes.

/// The closed set of things that a theme has a colour for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// For people only.
    Comment,
    /// A word of the language.
    Keyword,
    /// A function, a method, a macro.
    Function,
    /// A variable, a field, a parameter.
    Variable,
    /// A text, and what is escaped in it.
    String,
    /// A number or another fixed value.
    Number,
    /// A type, a module, a tag.
    Type,
    /// An operator.
    Operator,
    /// Brackets and separators.
    Punctuation,
}

impl Class {
    /// The class of a capture such as `function.builtin`. `None` for captures that have no colour of their own.
    pub(super) fn of_capture(name: &str) -> Option<Self> {
        let mut parts = name.split('.');
        let class = match parts.next()? {
            "comment" => Self::Comment,
            "keyword" | "conditional" | "repeat" | "include" | "exception" | "storageclass" | "preproc"
            | "label" | "define" | "statement" | "import" | "macro" | "media" | "charset" | "keyframes" => {
                Self::Keyword
            }
            "function" | "method" | "constructor" => Self::Function,
            "variable" | "property" | "field" | "parameter" | "attribute" | "identifier" => Self::Variable,
            "string" | "character" | "char" | "escape" | "regexp" => Self::String,
            "number" | "float" | "boolean" | "constant" => Self::Number,
            "type" | "module" | "namespace" | "tag" | "class" => Self::Type,
            "operator" => Self::Operator,
            "punctuation" | "delimiter" => Self::Punctuation,
            "text" | "markup" => return Self::of_prose(parts.next()?),
            _ => return None,
        };
        Some(class)
    }

    /// Captures of prose and of differences.
    fn of_prose(part: &str) -> Option<Self> {
        match part {
            "title" | "heading" => Some(Self::Keyword),
            "literal" | "raw" => Some(Self::String),
            "uri" | "link" | "reference" => Some(Self::Function),
            _ => None,
        }
    }

    /// The class of a leaf by its kind alone, for grammars that come without a query.
    pub(super) fn of_leaf(kind: &str, named: bool) -> Option<Self> {
        if !named {
            return match kind.chars().next()? {
                first if first.is_alphabetic() => Some(Self::Keyword),
                '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '.' | ':' => Some(Self::Punctuation),
                '"' | '\'' | '`' => Some(Self::String),
                _ => Some(Self::Operator),
            };
        }
        let holds = |words: &[&str]| words.iter().any(|word| kind.contains(word));
        match kind {
            _ if holds(&["comment"]) => Some(Self::Comment),
            _ if holds(&["string", "char", "template_literal", "quoted"]) => Some(Self::String),
            _ if holds(&["number", "integer", "float", "bool", "null", "_lit"]) => Some(Self::Number),
            _ if holds(&["type", "tag_name", "message_name", "enum_name", "service_name"]) => {
                Some(Self::Type)
            }
            _ if holds(&["identifier", "attribute"]) => Some(Self::Variable),
            _ if holds(&["modifier", "keyword"]) => Some(Self::Keyword),
            _ => None,
        }
    }
}
