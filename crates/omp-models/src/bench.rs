//! How fast models answer: time to the first token, tokens a second.

use std::time::Duration;

use omp_types::Failure;
use serde::Serialize;

/// What models are asked when nothing else is wanted: something that every model can say much about.
const QUESTION: &str = include_str!("../prompts/bench.md").trim_ascii();
/// The longest answer that is waited for.
const MAX_TOKENS: u32 = 512;

/// What is measured.
#[derive(Clone, Debug)]
pub struct BenchPlan {
    /// Answers per model.
    pub runs: u32,
    /// The longest answer that is asked for.
    pub max_tokens: u32,
    /// What the model is asked.
    pub prompt: String,
}

impl Default for BenchPlan {
    fn default() -> Self {
        Self { runs: 3, max_tokens: MAX_TOKENS, prompt: QUESTION.to_owned() }
    }
}

/// What came of one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BenchRow {
    /// As `provider/id`, or as it was typed if there is none.
    pub model: String,
    /// One for each answer.
    pub runs: Vec<BenchRun>,
    /// Of the runs that were answered; absent if there was none.
    pub average: Option<BenchFigures>,
    /// Why there is nothing, or not as much as was wanted.
    pub error: Option<String>,
}

/// One answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BenchRun {
    /// How fast it was.
    #[serde(flatten)]
    pub figures: BenchFigures,
    /// How long it was.
    pub output_tokens: u64,
}

/// The numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BenchFigures {
    /// Time to the first token.
    pub first_token_ms: f64,
    /// Time to the last token.
    pub duration_ms: f64,
    /// From the first token to the last; absent where the provider counts nothing, or everything came at once.
    pub tokens_per_second: Option<f64>,
}

impl BenchRow {
    /// A model that could not be asked.
    pub fn failed(model: String, error: String) -> Self {
        Self { model, runs: Vec::new(), average: None, error: Some(error) }
    }
}

impl BenchRun {
    /// An answer of so many tokens: the time to its first token, and to its last.
    pub fn new(output_tokens: u64, first: Duration, whole: Duration) -> Self {
        let figures = BenchFigures {
            first_token_ms: ms(first),
            duration_ms: ms(whole),
            tokens_per_second: speed(output_tokens, whole.saturating_sub(first)),
        };
        Self { figures, output_tokens }
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// The first token was there when the clock began.
fn speed(tokens: u64, writing: Duration) -> Option<f64> {
    let following = tokens.saturating_sub(1) as f64;
    (following > 0.0 && !writing.is_zero()).then(|| following / writing.as_secs_f64())
}

fn average(runs: &[BenchRun]) -> Option<BenchFigures> {
    let mean =
        |figures: Vec<f64>| (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64);
    Some(BenchFigures {
        first_token_ms: mean(runs.iter().map(|run| run.figures.first_token_ms).collect())?,
        duration_ms: mean(runs.iter().map(|run| run.figures.duration_ms).collect())?,
        tokens_per_second: mean(runs.iter().filter_map(|run| run.figures.tokens_per_second).collect()),
    })
}

/// Asks a model as often as the plan wants, one answer after the other. The first failure ends it. `heard` is told of every
/// answer before it is asked for.
pub async fn measure(
    model: &str,
    plan: &BenchPlan,
    mut heard: impl FnMut(&str, u32),
    ask: impl AsyncFn() -> Result<BenchRun, Failure>,
) -> BenchRow {
    let mut row = BenchRow { model: model.to_owned(), runs: Vec::new(), average: None, error: None };
    for number in 1..=plan.runs {
        heard(model, number);
        match ask().await {
            Ok(run) => row.runs.push(run),
            Err(failure) => {
                row.error = Some(failure.message);
                break;
            }
        }
    }
    row.average = average(&row.runs);
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first_token_ms: f64, duration_ms: f64, tokens_per_second: Option<f64>) -> BenchRun {
        BenchRun {
            figures: BenchFigures { first_token_ms, duration_ms, tokens_per_second },
            output_tokens: 10,
        }
    }

    #[test]
    fn averages_leave_out_what_was_not_measured() {
        let averaged = average(&[run(100.0, 1100.0, Some(20.0)), run(300.0, 900.0, None)]);
        let expected =
            BenchFigures { first_token_ms: 200.0, duration_ms: 1000.0, tokens_per_second: Some(20.0) };
        assert_eq!(averaged, Some(expected));
        assert_eq!(average(&[]), None);
    }

    #[test]
    fn speed_counts_from_the_first_token() {
        assert_eq!(speed(101, Duration::from_secs(2)), Some(50.0));
        assert_eq!(speed(1, Duration::from_secs(2)), None);
        assert_eq!(speed(0, Duration::from_secs(2)), None);
        assert_eq!(speed(100, Duration::ZERO), None);
    }
}
