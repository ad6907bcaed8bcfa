//! Random conversations, random damage.

use std::sync::Arc;

use omp_session::{Context, Loaded, OpenError};
use omp_types::Message;
use proptest::prelude::*;

use crate::support::{World, answer, told, user};

/// A step of a conversation; numbers choose among the entries there are.
#[derive(Clone, Debug)]
enum Step {
    User(String),
    Answer(String),
    Model(u8),
    Thinking(u8),
    Branch(prop::sample::Index),
    Reset,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => "\\PC{0,30}".prop_map(Step::User),
        4 => any::<String>().prop_map(Step::Answer),
        1 => any::<u8>().prop_map(Step::Model),
        1 => any::<u8>().prop_map(Step::Thinking),
        2 => any::<prop::sample::Index>().prop_map(Step::Branch),
        1 => Just(Step::Reset),
    ];
    prop::collection::vec(step, 0..40)
}

/// What a conversation must come to, kept by other means: for each entry its id and the whole context there.
struct Oracle {
    entries: Vec<(String, Context)>,
    leaf: Context,
}

fn said(mut context: Context, message: &Arc<Message>) -> Context {
    context.messages.push(Arc::clone(message));
    if message.as_assistant().is_some() && context.models.is_empty() {
        context.model = Some("acme/m1".to_owned());
    }
    context
}

fn act(world: &World, steps: &[Step]) -> (std::path::PathBuf, Oracle) {
    let mut writer = world.create();
    let first = answer("start");
    let context = said(Context::default(), &first);
    let mut oracle =
        Oracle { entries: vec![(writer.append_message(&first), context.clone())], leaf: context };
    for step in steps {
        let context = oracle.leaf.clone();
        let (id, context) = match step {
            Step::User(text) => (writer.append_message(&user(text)), said(context, &user(text))),
            Step::Answer(text) => (writer.append_message(&answer(text)), said(context, &answer(text))),
            Step::Model(number) => {
                let model = format!("acme/{number}");
                let models = [("default".to_owned(), model.clone())].into();
                (writer.append_model_change(&model, None), Context { models, model: Some(model), ..context })
            }
            Step::Thinking(number) => {
                let level = number.to_string();
                (writer.append_thinking_level(&level), Context { thinking_level: Some(level), ..context })
            }
            Step::Branch(index) => {
                let (id, context) = index.get(&oracle.entries).clone();
                writer.branch(&id).unwrap();
                oracle.leaf = context;
                continue;
            }
            Step::Reset => {
                writer.reset_leaf();
                oracle.leaf = Context::default();
                continue;
            }
        };
        oracle.entries.push((id, context.clone()));
        oracle.leaf = context;
    }
    assert!(writer.problem().is_none());
    (writer.path().unwrap().to_owned(), oracle)
}

fn agrees(loaded: &Loaded, expected: &[(String, Context)]) {
    assert_eq!(loaded.entries().len(), expected.len());
    for (entry, (id, context)) in loaded.entries().iter().zip(expected) {
        assert_eq!(entry.id, *id);
        assert_eq!(loaded.context_at(Some(id)), *context);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    // proves: SES-044, SES-048, SES-052
    #[test]
    fn a_tree_is_read_as_it_was_written(steps in steps()) {
        let world = World::new();
        let (path, oracle) = act(&world, &steps);
        let (loaded, _) = world.open(&path);
        prop_assert_eq!(loaded.skipped, 0);
        agrees(&loaded, &oracle.entries);
        prop_assert_eq!(loaded.context(), oracle.entries.last().unwrap().1.clone());
    }

    /// Cut anywhere: the entries before the cut are all there, and the conversation goes on.
    // proves: SES-039
    #[test]
    fn a_cut_loses_one_entry_at_most(steps in steps(), at in any::<prop::sample::Index>()) {
        let world = World::new();
        let (path, oracle) = act(&world, &steps);
        let content = std::fs::read(&path).unwrap();
        let header = content.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let cut = header + at.index(content.len() - header + 1);
        std::fs::write(&path, &content[..cut]).unwrap();
        let whole_lines = content[header..cut].iter().filter(|byte| **byte == b'\n').count();

        let (loaded, mut writer) = world.open(&path);
        let kept = loaded.entries().len();
        // A line that lacks nothing but its newline is whole.
        prop_assert!(kept == whole_lines || (kept == whole_lines + 1 && content[cut] == b'\n'));
        agrees(&loaded, &oracle.entries[..kept]);

        let before = told(&loaded.context().messages);
        writer.append_message(&user("and on"));
        let after = told(&world.open(&path).0.context().messages);
        prop_assert_eq!(&after[..before.len()], &before[..]);
        prop_assert_eq!(&after[before.len()..], &["u:and on".to_owned()]);
    }

    /// Foreign bytes are left alone, and said to be none of ours.
    #[test]
    fn any_bytes_stay_as_they_are(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let world = World::new();
        let path = world.base.join("s.jsonl");
        std::fs::write(&path, &bytes).unwrap();
        match world.sessions.open(&path, &world.project) {
            Err(error) => {
                prop_assert!(matches!(error, OpenError::NotASession(_)), "{}", error);
                prop_assert_eq!(std::fs::read(&path).unwrap(), bytes);
            }
            Ok((_, mut writer)) => {
                prop_assert!(bytes.is_empty());
                writer.append_message(&user("hi"));
                prop_assert_eq!(told(&world.open(&path).0.context().messages), ["u:hi"]);
            }
        }
    }
}
