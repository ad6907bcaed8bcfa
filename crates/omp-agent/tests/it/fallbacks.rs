//! Other models that take over, and the way back.

use std::sync::Arc;
use std::time::Duration;

use omp_agent::{AgentConfig, Chain, Model, RevertPolicy, parse_chains};
use omp_types::{AgentEvent, FailureKind, StopReason, ThinkingLevel, ToolChoice};

use crate::common::{Answer, FakeTool, Script, World, short, world};

const PRIMARY: &str = "test/primary";

fn script(selector: &str, answers: impl IntoIterator<Item = Answer>) -> Arc<Script> {
    Arc::new(Script::new(selector, answers))
}

fn chain(role: &str, primary: &str, candidates: &[&str]) -> Chain {
    let candidates = candidates.iter().map(|&selector| selector.to_owned()).collect();
    Chain { role: role.to_owned(), primary: primary.to_owned(), candidates }
}

fn default_chain(candidates: &'static [&'static str]) -> impl FnOnce(&mut AgentConfig) {
    move |config| config.fallbacks.chains = vec![chain("default", PRIMARY, candidates)]
}

fn busy() -> Answer {
    Answer::failed(FailureKind::Transient, "overloaded")
}

fn switches(world: &World) -> Vec<String> {
    let line = |event| match event {
        AgentEvent::RetryFallbackApplied(switch) => {
            Some(format!("{} -> {} ({})", switch.from, switch.to, switch.role))
        }
        AgentEvent::RetryFallbackSucceeded { model, role } => Some(format!("{model} succeeded ({role})")),
        _ => None,
    };
    world.events().into_iter().filter_map(line).collect()
}

/// A chain belongs to the model that is configured for its role, whatever level the selector names.
// proves: LOP-045
#[tokio::test(start_paused = true)]
async fn a_chain_applies_to_the_model_of_its_role() {
    for (primary, applies) in [(PRIMARY, true), ("test/primary:high", true), ("test/other", false)] {
        let backup = script("b/two", [Answer::text("from two")]);
        let world = world([busy(), Answer::text("from one")])
            .other(&backup, None)
            .config(|config| {
                config.fallbacks.chains =
                    vec![chain("slow", "x/y", &["x/z"]), chain("default", primary, &["b/two"])];
            })
            .build();
        world.prompt("go").await;
        let expected = if applies { "text: from two" } else { "text: from one" };
        assert_eq!(world.context().await[1], expected, "{primary}");
    }
}

/// The next model takes over at once with the whole conversation, and each failing one rests: by the provider's
/// word, by the kind of failure, or five minutes.
// proves: LOP-046
#[tokio::test(start_paused = true)]
async fn the_next_model_takes_over_at_once() {
    let rests = [
        (busy(), 300_000),
        (Answer::failed(FailureKind::RateLimit, "429"), 60_000),
        (Answer::failed(FailureKind::UsageLimit, "quota"), 3_600_000),
        (busy().retry_after(7_000), 7_000),
    ];
    for (failure, rest_ms) in rests {
        let backup = script("b/two", (0..2).map(|_| Answer::text("from two")));
        let world = world([failure, Answer::text("from one")])
            .other(&backup, None)
            .config(default_chain(&["b/two"]))
            .build();
        world.prompt("go").await;
        assert_eq!(world.clock.elapsed_ms(), 0, "nobody waits");
        assert_eq!(short(&backup.requests()[0].messages), ["user: go"]);
        assert_eq!(switches(&world), ["test/primary -> b/two (default)", "b/two succeeded (default)"]);
        tokio::time::advance(Duration::from_millis(rest_ms - 1)).await;
        world.prompt("still resting").await;
        assert_eq!(backup.requests().len(), 2, "{rest_ms}");
        tokio::time::advance(Duration::from_millis(1)).await;
        world.prompt("rested").await;
        assert_eq!(world.script.requests().len(), 2, "{rest_ms}");
    }
    let off = world([busy(), Answer::text("from one")])
        .other(&script("b/two", []), None)
        .config(default_chain(&["b/two"]))
        .config(|config| config.fallbacks.enabled = false)
        .build();
    off.prompt("go").await;
    assert_eq!((switches(&off).len(), off.script.requests().len()), (0, 2));
}

/// Unknown models and models that rest are passed over; when all rest, the last one waits like any other.
// proves: LOP-047
#[tokio::test(start_paused = true)]
async fn unusable_candidates_are_skipped() {
    let two = script("b/two", [busy()]);
    let three = script("b/three", [busy(), Answer::text("from three")]);
    let world = world([busy()])
        .other(&two, None)
        .other(&three, None)
        .config(default_chain(&["b/unknown", "b/two", "b/three"]))
        .build();
    world.prompt("go").await;
    assert_eq!(
        switches(&world),
        [
            "test/primary -> b/two (default)",
            "b/two -> b/three (default)", // not back to the unknown one
            "b/three succeeded (default)",
        ]
    );
    assert_eq!(world.clock.elapsed_ms(), 2000, "the third attempt waits: nobody else is left");
    assert_eq!((world.script.requests().len(), two.requests().len(), three.requests().len()), (1, 1, 2));
}

/// A stand-in thinks as hard as its selector says, else as hard as the model it stands in for.
#[tokio::test(start_paused = true)]
async fn a_stand_in_has_its_own_thinking_level() {
    let two = script("b/two", [busy()]);
    let three = script("b/three", [Answer::text("ok")]);
    let world = world([busy()])
        .other(&two, Some(ThinkingLevel::High))
        .other(&three, None)
        .config(default_chain(&["b/two", "b/three"]))
        .config(|config| config.request.thinking = ThinkingLevel::Low)
        .build();
    world.prompt("go").await;
    assert_eq!(two.requests()[0].options.thinking, ThinkingLevel::High);
    assert_eq!(three.requests()[0].options.thinking, ThinkingLevel::Low);
}

/// A demanded call is not demanded of a stand-in that cannot be told to make it.
#[tokio::test(start_paused = true)]
async fn a_stand_in_is_asked_only_for_what_it_can_do() {
    let two = Arc::new(Script::new("b/two", [Answer::text("ok")]).unforceable());
    let world = world([busy()])
        .tool(FakeTool::quick("read"))
        .other(&two, None)
        .config(default_chain(&["b/two"]))
        .build();
    world.agent.force_tool("read").await.unwrap();
    world.prompt("go").await;
    assert_eq!(two.requests()[0].options.tool_choice, ToolChoice::Auto);
}

/// The configured model and its level come back when its rest is over, unless the policy or the user says
/// otherwise.
// proves: LOP-049
#[tokio::test(start_paused = true)]
async fn the_primary_returns_after_its_rest() {
    let start = |policy: RevertPolicy| {
        let two = script("b/two", (0..9).map(|_| Answer::text("from two")));
        let world = world([busy(), Answer::text("from one")])
            .other(&two, Some(ThinkingLevel::High))
            .config(default_chain(&["b/two"]))
            .config(|config| {
                config.request.thinking = ThinkingLevel::Low;
                config.fallbacks.revert = policy;
            })
            .build();
        (world, two)
    };
    let (reverting, two) = start(RevertPolicy::CooldownExpiry);
    reverting.prompt("a").await;
    tokio::time::advance(Duration::from_secs(299)).await;
    reverting.prompt("b").await;
    assert_eq!(two.requests().len(), 2);
    tokio::time::advance(Duration::from_secs(1)).await;
    reverting.prompt("c").await;
    assert_eq!(reverting.script.requests()[1].options.thinking, ThinkingLevel::Low);

    let (staying, two) = start(RevertPolicy::Never);
    staying.prompt("a").await;
    tokio::time::advance(Duration::from_secs(3600)).await;
    staying.prompt("b").await;
    assert_eq!((staying.script.requests().len(), two.requests().len()), (1, 2));

    let (chosen, two) = start(RevertPolicy::CooldownExpiry);
    chosen.prompt("a").await;
    let model = Arc::clone(&two) as Arc<dyn Model>;
    chosen.agent.set_model(model, ThinkingLevel::Max).await.unwrap();
    tokio::time::advance(Duration::from_secs(3600)).await;
    chosen.prompt("b").await;
    assert_eq!(chosen.script.requests().len(), 1, "the user's choice stays");
    assert_eq!(two.requests()[1].options.thinking, ThinkingLevel::Max);
}

/// A refusal goes to another model, for good; without one it ends the turn quietly, as it is.
// proves: LOP-032
#[tokio::test(start_paused = true)]
async fn a_refusal_moves_to_another_model_or_ends_quietly() {
    let refusal = || Answer::failed(FailureKind::Refusal, "I cannot help with that");
    let two = script("b/two", (0..2).map(|_| Answer::text("from two")));
    let moved =
        world([refusal(), Answer::text("never")]).other(&two, None).config(default_chain(&["b/two"])).build();
    moved.prompt("go").await;
    tokio::time::advance(Duration::from_secs(86_400)).await;
    moved.prompt("tomorrow").await;
    assert_eq!((moved.script.requests().len(), two.requests().len()), (1, 2));

    let shown = world([Answer::text("Well, ").fail(FailureKind::Refusal, "no"), Answer::text("never")])
        .other(&script("b/two", [Answer::text("never")]), None)
        .config(default_chain(&["b/two"]))
        .build();
    shown.prompt("go").await;
    assert!(switches(&shown).is_empty(), "what had begun to show is final");

    let quiet = world([refusal(), Answer::text("never")]).build();
    let outcome = quiet.prompt("go").await;
    let last = outcome.last_answer().unwrap();
    let text = Some("I cannot help with that");
    assert_eq!((last.stop_reason, last.error_message.as_deref()), (StopReason::Error, text));
    assert_eq!((quiet.script.requests().len(), quiet.recorder.count("auto_retry_start")), (1, 0));
    assert_eq!(quiet.recorder.count("auto_retry_end"), 0);
}

/// A chain with mistakes loses the mistakes; each is named with its role.
// proves: LOP-050
#[test]
fn mistakes_in_chains_become_warnings() {
    let lists: [(&str, Vec<String>); 3] = [
        ("default", ["b/two:high", "nonsense", "/x", "y/"].map(str::to_owned).to_vec()),
        ("smol", vec!["nothing".to_owned()]),
        ("unset", vec!["b/two".to_owned()]),
    ];
    let primary = |role: &str| (role != "unset").then(|| PRIMARY.to_owned());
    let (chains, warnings) = parse_chains(lists.iter().map(|(role, list)| (*role, list.as_slice())), primary);
    assert_eq!(chains, [chain("default", PRIMARY, &["b/two:high"])]);
    let named = [
        ("default", "nonsense"),
        ("default", "/x"),
        ("default", "y/"),
        ("smol", "nothing"),
        ("unset", "b/two"),
    ];
    assert_eq!(warnings.len(), named.len());
    for (warning, (role, selector)) in warnings.iter().zip(named) {
        assert!(
            warning.contains(&format!("fallbackChains.{role}")) && warning.contains(selector),
            "{warning}"
        );
    }
}
