//! Outputs of tools and sub-agents beside a session.

use std::io::Write;
use std::sync::Arc;

use omp_session::{
    AgentOutputs, ArtifactError, Artifacts, OutputError, SessionWriter, artifacts_directory, find_artifact,
    find_output,
};

use crate::support::{World, answer, told, user};

/// proves: SES-086, SES-087
#[test]
fn artifacts_are_numbered_beside_the_session() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let (_, writer) = world.open(&path);
    let artifacts = writer.artifacts();
    let directory = path.with_extension("");
    assert_eq!(artifacts.directory(), Some(directory.as_path()));
    assert!(!directory.exists(), "a quiet session has no directory");

    assert_eq!(artifacts.save("bash", "output").unwrap(), 0);
    let mut second = artifacts.create("python").unwrap().unwrap();
    second.file.write_all(b"streamed").unwrap();
    assert_eq!((second.id, second.path), (1, directory.join("1.python.log")));
    assert_eq!(std::fs::read_to_string(directory.join("0.bash.log")).unwrap(), "output");
    assert_eq!(std::fs::read_to_string(artifacts.find("1").unwrap()).unwrap(), "streamed");
    assert_eq!(artifacts.save("../evil tool", "x").unwrap(), 2);
    assert!(directory.join("2.___evil_tool.log").is_file(), "a name is no path");
}

/// proves: SES-088
#[test]
fn a_resumed_session_goes_on_counting() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let directory = artifacts_directory(&path);
    std::fs::create_dir(&directory).unwrap();
    for name in ["0.bash.log", "7.read.log", "notes.log", "x.bash.log", "9.md", "Anna.md"] {
        std::fs::write(directory.join(name), name).unwrap();
    }
    let artifacts = Artifacts::new(&path);
    assert_eq!(artifacts.save("bash", "new").unwrap(), 8);
    // Another process counts in the same directory.
    std::fs::write(directory.join("9.grep.log"), "other").unwrap();
    assert_eq!(artifacts.save("grep", "mine").unwrap(), 10);
    for name in ["0.bash.log", "7.read.log", "notes.log"] {
        assert_eq!(std::fs::read_to_string(directory.join(name)).unwrap(), name, "nothing is overwritten");
    }
    assert_eq!(std::fs::read_to_string(directory.join("9.grep.log")).unwrap(), "other");
}

/// The storage of SES-089, whose sub-agents do not exist yet.
#[test]
fn a_sub_agent_leaves_its_output_and_its_conversation() {
    let world = World::new();
    let parent = world.saved(&world.project, "hi");
    let directory = artifacts_directory(&parent);
    let outputs = AgentOutputs::new(&directory);
    let id = outputs.allocate("Anna", None);
    outputs.save(&id, "# Report").unwrap();
    let mut writer = world.sessions.create_at(&outputs.session_path(&id), &world.project, Default::default());
    writer.append_message(&user("task"));
    writer.append_message(&answer("done"));
    assert_eq!(std::fs::read_to_string(directory.join("Anna.md")).unwrap(), "# Report");
    assert_eq!(told(&world.open(&directory.join("Anna.jsonl")).0.context().messages), ["u:task", "a:done"]);
    assert_eq!(world.sessions.list(&world.project).len(), 1, "it is no session of its own in the list");
}

/// The names of SES-090, whose sub-agents do not exist yet.
#[test]
fn names_of_sub_agents_are_used_once() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let directory = artifacts_directory(&path);
    let outputs = AgentOutputs::new(&directory);
    let names = ["Anna", "Anna", "Bob", "Anna"].map(|name| outputs.allocate(name, None));
    assert_eq!(names, ["Anna", "Anna-2", "Bob", "Anna-3"]);
    assert_eq!(outputs.allocate("Carl", Some("Anna")), "Anna.Carl");
    assert_eq!(outputs.allocate("Carl", Some("Anna")), "Anna.Carl-2");
    for name in names {
        outputs.save(&name, "x").unwrap();
    }
    let resumed = AgentOutputs::new(&directory);
    assert_eq!([resumed.allocate("Anna", None), resumed.allocate("Dora", None)], ["Anna-4", "Dora"]);
    assert_eq!(resumed.allocate("../up", None), "agent.._up");
}

/// The counting of SES-091, whose sub-agents do not exist yet.
#[test]
fn a_sub_agent_counts_with_its_parent() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let parent = Arc::new(Artifacts::new(&path));
    let child = Arc::clone(&parent);
    let mut ids: Vec<u64> = std::thread::scope(|scope| {
        let workers: Vec<_> = [parent, child]
            .into_iter()
            .map(|shared| {
                scope.spawn(move || (0..20).map(|_| shared.save("bash", "x").unwrap()).collect::<Vec<_>>())
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    ids.sort_unstable();
    assert_eq!(ids, (0..40).collect::<Vec<u64>>());
    assert_eq!(std::fs::read_dir(artifacts_directory(&path)).unwrap().count(), 40, "in one directory");
}

/// The store's part of SES-099 and SES-102; the rest is proved where it is wired.
#[test]
fn what_cannot_be_found_is_said_in_one_sentence() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let directories = [artifacts_directory(&path)];
    let error = |id: &str| find_artifact(&directories, id).unwrap_err().to_string();
    assert_eq!(error("abc"), "artifact:// ID must be numeric, got: abc");
    assert_eq!(find_artifact(&[], "1"), Err(ArtifactError::NoSession));
    assert_eq!(error("1"), "No artifacts directory found");
    assert_eq!(find_output(&[], "A").unwrap_err().to_string(), "No session - agent outputs unavailable");
    assert_eq!(find_output(&directories, "A"), Err(OutputError::NoDirectory));
    let artifacts = Artifacts::new(&path);
    for _ in 0..3 {
        artifacts.save("bash", "x").unwrap();
    }
    AgentOutputs::new(&directories[0]).save("Anna", "x").unwrap();
    assert_eq!(error("9"), "Artifact 9 not found. Available: 0, 1, 2");
    let missing = find_output(&directories, "../Anna").unwrap_err().to_string();
    assert_eq!(missing, "Not found: ../Anna. Available: Anna");
    assert!(find_output(&directories, "Anna").is_ok());
}

/// The store's part of SES-104; the rest is proved where it is wired.
#[test]
fn a_session_in_memory_keeps_artifacts_in_memory() {
    let world = World::new();
    let writer = SessionWriter::in_memory(&world.project);
    let artifacts = writer.artifacts();
    assert!(artifacts.create("bash").unwrap().is_none());
    assert_eq!((artifacts.save("bash", "one").unwrap(), artifacts.save("bash", "two").unwrap()), (0, 1));
    assert_eq!(artifacts.text(1).as_deref(), Some("two"));
    assert_eq!(artifacts.find("1"), Err(ArtifactError::NoSession));
}
