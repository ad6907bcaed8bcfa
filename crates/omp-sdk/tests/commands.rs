//! Commands and templates of the user and the project, as an embedding program sees them.

mod common;

use std::sync::Arc;

use omp_sdk::{Directories, Persistence, Session, SessionOptions};
use omp_testkit::Home;

use common::Nothing;

async fn session(home: &Home) -> Session {
    let root = home.home_dir().display().to_string();
    let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
    let options = SessionOptions {
        model: omp_sdk::ModelOptions::named("omp/demo"),
        persistence: Persistence::Off,
        ..SessionOptions::new(home.work_dir(), directories, Arc::new(Nothing))
    };
    Session::open(options, Box::new(Nothing)).await.unwrap()
}

/// Templates say whose they are; a command of the same name goes before them.
// proves: CLI-167
#[tokio::test]
async fn templates_are_listed_and_expanded() {
    let home = Home::new();
    home.write(
        "home/.omp/agent/prompts/greet.md",
        "---\ndescription: Say hello\n---\nHello $1 and {{ARGUMENTS}}",
    );
    home.write("work/.omp/prompts/team/plan.md", "Plan for $@");
    home.write("home/.omp/agent/prompts/plan.md", "The user's plan");
    home.write("work/.omp/prompts/fix.md", "template");
    home.write("work/.omp/commands/fix.md", "command");
    let commands = session(&home).await.input().commands();
    let description = |name: &str| commands.get(name).unwrap().description.clone();
    assert_eq!(description("greet"), "Say hello (user)");
    assert_eq!(description("plan"), "Plan for $@ (project:team)");
    let expand = |text: &str| commands.expand(text).map(|expanded| expanded.text);
    assert_eq!(expand("/greet you all").as_deref(), Some("Hello you and you all"));
    assert_eq!(expand("/plan a b").as_deref(), Some("Plan for a b"));
    assert_eq!(expand("/fix").as_deref(), Some("command"));
    assert_eq!(expand("/nothing"), None);
    let listed: Vec<&str> = commands.list(|_| false).map(|row| row.name.as_str()).collect();
    assert_eq!(listed.iter().filter(|name| **name == "fix").count(), 1, "{listed:?}");
}
