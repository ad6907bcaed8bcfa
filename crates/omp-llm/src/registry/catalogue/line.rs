//! One line of the data: a model and what is known of it.

use omp_types::{Cost, ThinkingLevel};

use crate::model::{Api, Input, Model, ThinkingMode};

/// The columns, as `tools/catalogue/refresh` writes them. Those at the end may be missing.
const ID: usize = 1;
const NAME: usize = 2;
const API: usize = 3;
const WINDOW: usize = 4;
const OUTPUT: usize = 5;
const INPUT: usize = 6;
const THINKING: usize = 7;
const LEVELS: usize = 8;
const PRICES: usize = 9;
const PROMOTE: usize = 13;
const FLAGS: usize = 14;
const COLUMNS: usize = 15;

/// A line that is read when somebody wants to know.
#[derive(Clone, Copy, Debug)]
pub(in crate::registry) struct Line(&'static str);

impl Line {
    pub(super) fn new(line: &'static str) -> Self {
        Self(line)
    }

    pub(in crate::registry) fn id(self) -> &'static str {
        self.0.split('\t').nth(ID).unwrap_or_default()
    }

    /// The wire, where it is not the provider's.
    pub(super) fn api(self) -> Option<Api> {
        Api::parse(self.0.split('\t').nth(API).unwrap_or_default())
    }

    /// Puts the facts that hold wherever the model is served into `model`, which knows its wire.
    pub(in crate::registry) fn describe(self, model: &mut Model) {
        let mut fields = [""; COLUMNS];
        fields.iter_mut().zip(self.0.split('\t')).for_each(|(field, text)| *field = text);
        model.reasoning = !fields[THINKING].is_empty();
        model.input = match fields[INPUT] {
            "image" => vec![Input::Text, Input::Image],
            _ => vec![Input::Text],
        };
        if !fields[LEVELS].is_empty() {
            model.levels = fields[LEVELS].split(',').filter_map(ThinkingLevel::parse).collect();
        }
        let price = |column: usize| fields[PRICES + column].parse().unwrap_or(0.0);
        model.cost = Cost {
            input: price(0),
            output: price(1),
            cache_read: price(2),
            cache_write: price(3),
            total: 0.0,
        };
        model.context_window = fields[WINDOW].parse().unwrap_or(model.context_window);
        if let Ok(limit) = fields[OUTPUT].parse() {
            model.max_tokens = limit;
            model.facts.max_tokens_stated = true;
        }
    }

    /// The model of this line, on the wire and at the place of `template`.
    pub(super) fn model(self, template: &Model, api: Api) -> Model {
        let fields = |column: usize| self.0.split('\t').nth(column).unwrap_or_default();
        let mut model = Model {
            id: self.id().to_owned(),
            name: fields(NAME).to_owned(),
            api,
            thinking: ThinkingMode::detect(api, self.id()),
            ..template.clone()
        };
        self.describe(&mut model);
        if fields(THINKING) == "adaptive" {
            model.thinking = ThinkingMode::AnthropicAdaptive;
        }
        let target = fields(PROMOTE);
        model.facts.context_promotion_target = (!target.is_empty()).then(|| target.to_owned());
        model
    }

    /// The model cannot be made to call a tool.
    pub(super) fn refuses_forced_tools(self) -> bool {
        self.0
            .split('\t')
            .nth(FLAGS)
            .is_some_and(|flags| flags.split(',').any(|flag| flag == "no-forced-tools"))
    }
}
