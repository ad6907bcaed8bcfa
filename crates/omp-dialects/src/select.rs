//! Which dialect a model speaks.

/// The syntax of a model family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    Anthropic,
    DeepSeek,
    /// Python in fences: Gemini and Gemma 3.
    Gemini,
    /// Gemma 4.
    Gemma,
    Glm,
    Harmony,
    Kimi,
    Minimax,
    Qwen3,
    /// For families without a syntax of their own.
    Xml,
}

impl Dialect {
    pub const ALL: [Dialect; 10] = [
        Self::Anthropic,
        Self::DeepSeek,
        Self::Gemini,
        Self::Gemma,
        Self::Glm,
        Self::Harmony,
        Self::Kimi,
        Self::Minimax,
        Self::Qwen3,
        Self::Xml,
    ];

    /// As in the setting `tools.format`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::DeepSeek => "deepseek",
            Self::Gemini => "gemini",
            Self::Gemma => "gemma",
            Self::Glm => "glm",
            Self::Harmony => "harmony",
            Self::Kimi => "kimi",
            Self::Minimax => "minimax",
            Self::Qwen3 => "qwen3",
            Self::Xml => "xml",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The syntax of the family that a model's id names.
    pub fn of_model(id: &str) -> Self {
        let id = id.to_ascii_lowercase();
        let families = [
            ("claude", Self::Anthropic),
            ("glm", Self::Glm),
            ("gemini", Self::Gemini),
            ("gemma", gemma_generation(&id)),
            ("kimi", Self::Kimi),
            ("qwen", Self::Qwen3),
            ("deepseek", Self::DeepSeek),
            ("minimax", Self::Minimax),
            ("gpt", Self::Harmony),
        ];
        let named = families.into_iter().find(|(family, _)| id.contains(family));
        named.map_or(Self::Xml, |(_, dialect)| dialect)
    }
}

/// The tokens came with the fourth generation; what came before writes Python.
fn gemma_generation(id: &str) -> Dialect {
    let behind = id.split_once("gemma").map_or("", |(_, behind)| behind);
    let digits: String = behind
        .trim_start_matches(['-', '_', ':', '/', ' '])
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    match digits.parse::<u32>() {
        Ok(generation) if generation < 4 => Dialect::Gemini,
        _ => Dialect::Gemma,
    }
}

/// How tools are offered to a model (`tools.format`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolFormat {
    /// By the provider's interface, unless the model is known not to have one.
    #[default]
    Auto,
    Native,
    InBand(Dialect),
}

impl ToolFormat {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "auto" => Some(Self::Auto),
            "native" => Some(Self::Native),
            name => Dialect::parse(name).map(Self::InBand),
        }
    }

    /// The dialect to speak with a model, if any.
    pub fn dialect(self, model_id: &str, supports_tools: bool) -> Option<Dialect> {
        match self {
            Self::InBand(dialect) => Some(dialect),
            Self::Auto if !supports_tools => Some(Dialect::preferred(model_id)),
            Self::Auto | Self::Native => None,
        }
    }
}

impl Dialect {
    /// The family's own, or GLM's: the one that models without a syntax of their own follow best.
    fn preferred(model_id: &str) -> Self {
        match Self::of_model(model_id) {
            Self::Xml => Self::Glm,
            own => own,
        }
    }
}
