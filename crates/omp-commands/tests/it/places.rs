//! Other directories, other sessions, other machines.

use omp_commands::Answer;
use omp_testkit::Reply;

use crate::support::{Room, lines};

/// The file, the directory, the settings, the commands and the name follow.
/// proves: CLI-219
#[tokio::test]
async fn a_session_moves_to_another_directory() {
    let room = Room::new([Reply::new().text("one"), Reply::new().text("two")]).await;
    room.home.write("work/two words/.omp/commands/there.md", "Over there\n");
    room.home.write("work/two words/.omp/config.yml", "todo:\n  enabled: false\n");
    room.home.write("work/a-file", "x");
    room.say("first").await;
    assert!(room.text("/rename Wanderer").await.contains("Wanderer"));
    let old = room.file();
    assert!(room.text("/move").await.starts_with("Usage"));
    assert!(room.text("/move nowhere").await.contains("cannot use"));
    assert!(room.text("/move a-file").await.contains("not a directory"));
    assert!(room.text("/move .").await.contains("already"));
    assert_eq!(room.file(), old, "nothing happened yet");

    let Answer::Arrived(arrival, text) = room.ask("/move \"two words\"").await else {
        panic!("another place")
    };
    let place = room.home.work_dir().join("two words").canonicalize().unwrap();
    assert!(text.contains("two words") && arrival.elsewhere == Some(place.clone()), "{text}");
    let session = room.context.host.session();
    let new = room.file();
    assert!(!old.exists() && new.is_file() && new != old);
    let header = &lines(&new)[0];
    assert_eq!((header["cwd"].as_str(), header["title"].as_str()), (place.to_str(), Some("Wanderer")));
    assert_eq!(session.cwd(), place);
    assert!(session.input().commands().get("there").is_some());
    room.say("second").await;
    let body = room.request();
    let tools = body["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["function"]["name"] != "todo"), "the settings of that directory");
    assert!(body.to_string().contains("two words") && body.to_string().contains("one"), "{body}");
    room.server.finish();
}

#[tokio::test]
async fn a_session_in_memory_stays_where_it_is() {
    let room = Room::in_memory([Reply::new().text("one")]).await;
    room.home.write("work/there/x", "");
    room.say("first").await;
    assert!(room.text("/move there").await.contains("memory"));
    assert_eq!(room.text("/drop").await, "Nothing to drop (in-memory session)");
    assert!(room.text("/session delete").await.contains("not saved"));
}

#[tokio::test]
async fn a_session_is_dropped() {
    let room = Room::new([Reply::new().text("one"), Reply::new().text("two")]).await;
    room.say("the zebra").await;
    let file = room.file();
    let artifacts = file.with_extension("");
    std::fs::create_dir_all(&artifacts).unwrap();
    std::fs::write(artifacts.join("0.txt"), "x").unwrap();
    assert!(matches!(room.ask("/drop").await, Answer::Arrived(_, text) if text == "Session dropped"));
    assert!(!file.exists() && !artifacts.exists());
    room.say("second").await;
    assert!(!room.request().to_string().contains("the zebra"));
    let file = room.file();
    assert!(
        matches!(room.ask("/session delete").await, Answer::Arrived(_, text) if text == "Session deleted")
    );
    assert!(!file.exists());
}

/// A machine that was added can be used at once; with the last one the tool goes.
/// proves: CLI-205
#[tokio::test]
async fn machines_come_and_go_without_a_restart() {
    let replies = ["one", "two", "three", "four"].map(|text| Reply::new().text(text));
    let room = Room::new(replies).await;
    let has_tool = async |text: &str| {
        room.say(text).await;
        let body = room.request();
        let tools = body["tools"].as_array().unwrap().clone();
        tools.iter().find(|tool| tool["function"]["name"] == "ssh").map(ToString::to_string)
    };
    assert_eq!(has_tool("a").await, None);
    assert!(
        room.text("/ssh").await.contains("/ssh add") && room.text("/ssh help").await.contains("/ssh add")
    );
    assert!(room.text("/ssh list").await.starts_with("No hosts"));
    assert!(room.text("/ssh add build").await.contains("--host"));
    assert!(room.text("/ssh add build --host h --port 99999").await.contains("1 to 65535"));
    assert!(room.text("/ssh remove build").await.contains("build"));
    let added = room.ask("/ssh add build --host 10.0.0.5 --user ci --port 2222 --key /k").await;
    assert!(matches!(added, Answer::Changed(text) if text.contains("build")));
    let file = std::fs::read_to_string(room.home.work_dir().join(".omp/ssh.json")).unwrap();
    assert!(file.contains("10.0.0.5") && file.contains("2222") && file.contains("/k"), "{file}");
    assert!(room.text("/ssh list").await.contains("build"));
    assert!(has_tool("b").await.unwrap().contains("build"));
    assert!(room.text("/ssh add mine --host 10.0.0.6 --scope user").await.contains("agent"));
    assert!(has_tool("c").await.unwrap().contains("mine"));
    assert!(room.text("/ssh remove build").await.contains("removed from"));
    assert!(room.text("/ssh remove mine --scope user").await.contains("removed from"));
    assert_eq!(has_tool("d").await, None);
    room.server.finish();
}

#[tokio::test]
async fn new_files_are_found_when_asked_to() {
    let room =
        Room::new([Reply::new().text("one"), Reply::new().text("two"), Reply::new().text("three")]).await;
    room.home.write("work/.omp/commands/later.md", "Said later\n");
    room.home.write(
        "work/.omp/skills/late/SKILL.md",
        "---\nname: late\ndescription: A late skill\n---\nBe late\n",
    );
    room.say("/skill:late now").await;
    assert!(!room.request().to_string().contains("Be late"));
    let text = room.text("/reload-plugins").await;
    assert!(text.contains("1 skills"), "{text}");
    room.say("/later").await;
    assert!(room.request().to_string().contains("Said later"));
    room.say("/skill:late now").await;
    assert!(room.request().to_string().contains("Be late"));
}
