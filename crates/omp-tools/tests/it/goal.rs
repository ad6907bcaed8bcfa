//! The goal tool and the account behind it.

use std::sync::Arc;

use omp_agent::{ToolError, Updates};
use omp_shell::{Environment, Scope};
use omp_tools::{Context, GoalKeeper};
use omp_types::{GoalStatus, ToolOutput, Usage};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{invocation, text};

fn context() -> Arc<Context> {
    let environment: Environment = std::iter::empty::<(String, String)>().collect();
    Arc::new(Context::new("/".into(), None, Arc::new(Scope::new()), environment))
}

async fn goal(context: &Arc<Context>, arguments: Value) -> Result<ToolOutput, ToolError> {
    let tool = omp_tools::goal(context);
    tool.run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await
}

fn used(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Usage {
    Usage { input, output, cache_read, cache_write, ..Usage::default() }
}

#[tokio::test]
async fn every_operation_tells_where_the_goal_stands() {
    let context = context();
    let op = |op: &str| goal(&context, json!({ "op": op }));
    let error = |result: Result<ToolOutput, ToolError>| result.unwrap_err().message;
    assert_eq!(error(op("get").await), "No goal is set.");
    assert!(error(op("create").await).contains("needs an objective"));
    let created = goal(&context, json!({"op": "create", "objective": " ship it ", "token_budget": 1000}))
        .await
        .unwrap();
    assert_eq!(
        text(&created),
        "Objective: ship it\nStatus: active\nTokens used: 0\nToken budget: 1000\nTokens remaining: 1000\nTime used: 0 s"
    );
    assert!(error(goal(&context, json!({"op": "create", "objective": "more"})).await).contains("already"));
    assert!(error(op("resume").await).contains("No paused goal"));
    context.modes.goal.account(&used(100, 50, 9_000, 7), 0);
    let details = op("get").await.unwrap().details.unwrap();
    assert_eq!((&details["goal"]["tokensUsed"], &details["goal"]["status"]), (&json!(157), &json!("active")));
    context.modes.goal.pause().unwrap();
    assert!(text(&op("resume").await.unwrap()).contains("Status: active"));
    assert!(text(&op("complete").await.unwrap()).contains("Status: complete"));
    assert!(error(op("drop").await).contains("No open goal"));
    goal(&context, json!({"op": "create", "objective": "next"})).await.unwrap();
    let dropped = text(&op("drop").await.unwrap());
    assert!(
        dropped.contains("Status: dropped") && dropped.contains("Tokens remaining: unlimited"),
        "{dropped}"
    );

    let validators = omp_agent::Validators::default();
    let tool = omp_tools::goal(&context);
    for wrong in
        [json!({"op": "create", "objective": "x", "token_budget": 0}), json!({"op": "win"}), json!({})]
    {
        assert!(validators.check(tool.as_ref(), wrong.as_object().unwrap().clone()).is_err(), "{wrong}");
    }
}

#[test]
fn the_account_counts_what_is_paid_for_and_the_time_of_work() {
    let keeper = GoalKeeper::default();
    keeper.account(&used(5, 5, 5, 5), 0);
    keeper.create("x", Some(300)).unwrap();
    keeper.begin_work(1_000);
    keeper.account(&used(100, 20, 5_000, 30), 3_000);
    keeper.end_work(4_000);
    let goal = keeper.goal().unwrap();
    assert_eq!((goal.tokens_used, goal.time_used_ms, goal.remaining()), (150, 3_000, Some(150)));
    keeper.begin_work(10_000);
    keeper.account(&used(150, 0, 0, 0), 11_000);
    let goal = keeper.goal().unwrap();
    assert_eq!((goal.status, goal.time_used_ms), (GoalStatus::BudgetLimited, 4_000));
    assert!(keeper.take_wrap_up().is_some() && keeper.take_wrap_up().is_none(), "told once");
    assert!(keeper.resume().unwrap_err().contains("budget is used up"));
    assert_eq!(keeper.set_budget(Some(200)).unwrap().status, GoalStatus::BudgetLimited, "still not enough");
    assert_eq!(keeper.set_budget(Some(1_000)).unwrap().status, GoalStatus::Active);
    keeper.account(&used(900, 0, 0, 0), 0);
    assert_eq!(keeper.set_budget(None).unwrap().status, GoalStatus::Active);
    let told: Vec<GoalStatus> = keeper.take_news().into_iter().map(|goal| goal.status).collect();
    use GoalStatus::{Active, BudgetLimited};
    assert_eq!(told, [Active, BudgetLimited, BudgetLimited, Active, BudgetLimited, Active]);
    keeper.pause().unwrap();
    keeper.account(&used(1, 0, 0, 0), 0);
    assert_eq!(keeper.goal().unwrap().tokens_used, 1_200, "nothing is counted while it rests");
}
