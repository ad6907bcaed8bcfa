//! How fast models answer that a session could use.

use tokio_util::sync::CancellationToken;

use omp_models::{BenchPlan, BenchRow, BenchRun, measure};

use crate::session::options::SessionOptions;
use crate::side_tasks::consult::{Consultant, Consultation};

/// Asks the model of these options as often as the plan wants. `heard` is told of every answer.
pub async fn bench(
    options: SessionOptions,
    plan: &BenchPlan,
    cancel: &CancellationToken,
    heard: impl FnMut(&str, u32),
) -> BenchRow {
    let typed = options.model.selector.clone().unwrap_or_default();
    let consultant = match Consultant::open(options).await {
        Ok(consultant) => consultant,
        Err(error) => return BenchRow::failed(typed, error.to_string()),
    };
    let consultation = Consultation {
        system: String::new(),
        question: plan.prompt.clone(),
        max_tokens: Some(plan.max_tokens),
    };
    let row = measure(consultant.selector(), plan, heard, async || {
        let consulted = consultant.ask(&consultation, cancel.clone()).await?;
        Ok(BenchRun::new(consulted.message.usage.output, consulted.first, consulted.whole))
    });
    let row = row.await;
    consultant.close().await;
    row
}
