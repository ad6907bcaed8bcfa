use serde::{Deserialize, Serialize};

/// Tokens of one model answer. The four counts are disjoint: `input` excludes what came from or went to the
/// provider's prompt cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub total_tokens: u64,
    pub cost: Cost,
}

/// Money, in the currency of the model's price list (US dollars in the built-in catalogue).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cost {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
    pub total: f64,
}

impl Usage {
    /// Fills `total_tokens` and `cost` from the counts, with prices per million tokens.
    pub fn priced(mut self, per_million: &Cost) -> Self {
        self.total_tokens = self.input + self.output + self.cache_read + self.cache_write;
        let price = |tokens: u64, rate: f64| tokens as f64 * rate / 1_000_000.0;
        self.cost.input = price(self.input, per_million.input);
        self.cost.output = price(self.output, per_million.output);
        self.cost.cache_read = price(self.cache_read, per_million.cache_read);
        self.cost.cache_write = price(self.cache_write, per_million.cache_write);
        self.cost.total = self.cost.input + self.cost.output + self.cost.cache_read + self.cost.cache_write;
        self
    }
}
