//! What tools write is in the next completion, without waiting for a list to become old.

use std::sync::Arc;
use std::time::Instant;

use crate::support::{Project, invocation};
use omp_agent::{Tool, Updates};
use omp_tools::{Context, EditMode, builtin};
use omp_workspace::finder::Finder;
use omp_workspace::scans::{Limits, Scans};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

struct World {
    project: Project,
    tools: Vec<Arc<dyn Tool>>,
    finder: Finder,
}

impl World {
    /// The clock stands still, so only a change makes a list old.
    fn new(mode: EditMode) -> Self {
        let mut project = Project::new();
        (project.settings.edit.mode, project.settings.edit.active) = (mode, true);
        let now = Instant::now();
        let scans = Arc::new(Scans::new(Limits::default(), Box::new(move || now)));
        let finder = Finder::new(project.path(), Arc::clone(&scans));
        let (scope, environment) = (project.scope.clone(), project.environment.clone());
        let mut context = Context::new(project.path(), Some(project.home()), scope, environment);
        (context.settings, context.scans) = (project.settings.clone(), scans);
        Self { tools: builtin(&Arc::new(context)), project, finder }
    }

    fn files(&self) -> Vec<String> {
        self.finder.find("", 100, &|| false).into_iter().map(|found| found.path).collect()
    }

    async fn call(&self, name: &str, arguments: Value) {
        let tool = self.tools.iter().find(|tool| tool.definition().name == name).unwrap();
        let call = invocation(&arguments, CancellationToken::new(), Updates::ignored());
        tool.run(call).await.unwrap();
    }
}

// proves: FIL-106, LOP-190
#[tokio::test]
async fn every_change_by_a_tool_is_seen_at_once() {
    let world = World::new(EditMode::ApplyPatch);
    world.project.file("a.txt", "one\n");
    assert_eq!(world.files(), ["a.txt"]);
    world.project.file("unseen.txt", "");
    assert_eq!(world.files(), ["a.txt"], "the list is remembered");
    std::fs::remove_file(world.project.path().join("unseen.txt")).unwrap();

    world.call("write", json!({"path": "b.txt", "content": "two\n"})).await;
    assert_eq!(world.files(), ["a.txt", "b.txt"]);
    let patch =
        "*** Add File: c/d.txt\n+x\n*** Update File: a.txt\n*** Move to: e.txt\n*** Delete File: b.txt\n";
    world.call("edit", json!({ "input": patch })).await;
    assert_eq!(world.files(), ["c/", "e.txt", "c/d.txt"]);
    world.call("bash", json!({"command": "rm e.txt; touch f.txt"})).await;
    assert_eq!(world.files(), ["c/", "f.txt", "c/d.txt"]);

    // An edit may change what is ignored.
    world.project.file(".gitignore", "none\n");
    let world = World { project: world.project, ..World::new(EditMode::Replace) };
    let finder = Finder::new(world.project.path(), Arc::clone(&world.finder.scans));
    assert!(finder.find("f.txt", 1, &|| false).len() == 1);
    let path = world.project.path().join(".gitignore");
    world.call("edit", json!({"path": path, "old_string": "none", "new_string": "f.txt"})).await;
    assert!(finder.find("f.txt", 1, &|| false).is_empty());
}
