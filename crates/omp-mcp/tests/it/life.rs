//! Starting, losing, giving up, parking and ending servers.

use std::sync::Arc;
use std::time::Duration;

use omp_mcp::host::Unattended;
use omp_mcp::{CallError, Endpoint, ServerDefinition, ServerEvent, ServerState};

use crate::world::{LONG, NAME, World, scripted};

async fn empty(world: &World) {
    world.until("without processes", |world| world.scope.living() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_does_not_exist() {
    let endpoint = Endpoint::Stdio {
        command: "no-such-program".to_owned(),
        args: vec![],
        env: Default::default(),
        cwd: None,
    };
    let world = World::of(ServerDefinition::new(NAME, endpoint));
    let reason = "cannot start no-such-program: No such file or directory (os error 2)";
    assert_eq!(world.started().await, ServerState::Failed { reason: reason.to_owned() });
    let error = world.call("echo").await.unwrap_err();
    assert_eq!(error.to_string(), format!("scripted is not connected: {reason}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_fails_says_why() {
    let world = World::scripted("exits");
    let state = world.started().await;
    let ServerState::Failed { reason } = &state else { panic!("{state:?}") };
    assert!(reason.starts_with("the server closed the connection during startup: "), "{reason}");
    assert!(world.log().contains("the configuration is missing"), "{}", world.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers() {
    let mut definition = scripted(&["silent"]);
    definition.timeout = Some(Duration::from_millis(300));
    let world = World::of(definition);
    let reason = "no answer within 300 ms (set \"timeout\" to wait longer)".to_owned();
    assert_eq!(world.started().await, ServerState::Failed { reason });
    empty(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_server_is_not_started() {
    let mut definition = scripted(&["good"]);
    definition.enabled = false;
    let world = World::of(definition);
    world.servers.start_all();
    let error = world.call("echo").await.unwrap_err();
    assert_eq!(error.to_string(), "Server \"scripted\" is disabled. Run /mcp enable scripted first.");
    assert_eq!((world.state(), world.scope.living()), (ServerState::Disabled, 0));
    assert_eq!(world.servers.start("other").unwrap_err(), CallError::Unknown("other".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_in_a_call_is_started_again_and_asked_once_more() {
    let directory = tempfile::tempdir().unwrap();
    let count = directory.path().join("count");
    let world = World::of(scripted(&["dies-once", count.to_str().unwrap()]));
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    assert_eq!(std::fs::read(&count).unwrap().len(), 2);
    assert_eq!(world.state(), ServerState::Ready);
}

// proves: HOK-052, HOK-067

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_always_dies_is_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let count = directory.path().join("count");
    let world = World::of(scripted(&["dies", count.to_str().unwrap()]));
    world.started().await;
    let error = world.call("echo").await.unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    assert_eq!(world.tools().len(), 4, "tools stay visible");
    let storm = async {
        while !matches!(world.state(), ServerState::Suspended { .. }) {
            let _ = world.call("echo").await;
        }
    };
    tokio::time::timeout(LONG, storm).await.expect("it is given up");
    let starts = std::fs::read(&count).unwrap().len();
    assert!((5..=7).contains(&starts), "{starts}");
    let error = world.call("echo").await.unwrap_err();
    assert!(error.to_string().starts_with("scripted is not connected: the connection was lost"), "{error}");
    empty(&world).await;

    world.servers.reconnect(NAME).unwrap();
    world.until("connected again", |world| world.state() == ServerState::Ready).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_forks_and_leaves() {
    let world = World::scripted("forks");
    let reason =
        "the server closed the connection during startup: the process ended with exit code 0".to_owned();
    assert_eq!(world.started().await, ServerState::Failed { reason });
    empty(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ignores_its_end() {
    let world = World::scripted("ignores");
    assert_eq!(world.started().await, ServerState::Ready);
    world.servers.stop(NAME).unwrap();
    empty(&world).await;
    assert_eq!(world.state(), ServerState::Idle);
}

// proves: HOK-074

#[tokio::test(flavor = "multi_thread")]
async fn whatever_ends_leaves_no_process() {
    let world = World::scripted("good");
    world.started().await;
    assert_eq!(world.scope.living(), 1);
    world.servers.configure(Vec::new());
    empty(&world).await;
    assert!(world.servers.tools().is_empty());

    let world = World::scripted("good");
    world.started().await;
    let World { scope, servers } = world;
    drop(servers);
    let gone = async {
        while scope.living() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, gone).await.expect("the process ends with the last handle");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_changed_definitions_are_connected_again() {
    let directory = tempfile::tempdir().unwrap();
    let count = directory.path().join("count");
    let arguments = ["good", count.to_str().unwrap()];
    let world = World::of(scripted(&arguments));
    world.started().await;
    let starts = || std::fs::read(&count).unwrap().len();
    world.servers.configure(vec![scripted(&arguments)]);
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    assert_eq!(starts(), 1);
    let mut changed = scripted(&arguments);
    changed.tools.without = vec!["echo".to_owned()];
    world.servers.configure(vec![changed]);
    world.until("connected", |world| world.state() == ServerState::Ready).await;
    assert_eq!((starts(), world.tools().len()), (2, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unused_server_is_parked_and_woken_by_a_call() {
    let world = World::with(scripted(&["good"]), Arc::new(Unattended::default()), |given| {
        given.park_after = Some(Duration::from_millis(100));
    });
    world.started().await;
    world.until("parked", |world| world.state() == ServerState::Parked).await;
    empty(&world).await;
    assert_eq!(world.tools().len(), 4, "tools stay visible");
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_last_time_wait_for_the_connection() {
    let before = World::scripted("good");
    before.started().await;
    let tools = serde_json::to_string(&before.servers.tools()).unwrap();
    let world = World::scripted("good");
    world.servers.preload(NAME, serde_json::from_str(&tools).unwrap()).unwrap();
    assert_eq!((world.tools().len(), world.state()), (4, ServerState::Idle));
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
}

#[tokio::test(flavor = "multi_thread")]
async fn events() {
    let world = World::scripted("good");
    let mut events = world.servers.events();
    world.started().await;
    let mut seen = Vec::new();
    while seen.last() != Some(&ServerEvent::State { server: NAME.to_owned(), state: ServerState::Ready }) {
        seen.push(tokio::time::timeout(LONG, events.recv()).await.unwrap().unwrap());
    }
    assert_eq!(seen[1], ServerEvent::Tools { server: NAME.to_owned() });
}
