use std::os::unix::fs::PermissionsExt;

use omp_llm::Secret;
use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::credential::{Extra, Tokens};

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent/agent.db");
    (directory, path)
}

fn key(text: &str) -> NewCredential {
    NewCredential::api_key(Secret::new(text))
}

fn account(access: &str, identity: &str) -> NewCredential {
    let tokens = Tokens {
        access: Secret::new(access),
        refresh: None,
        obtained_ms: 1,
        expires_ms: Some(100),
        extra: Extra::default(),
    };
    NewCredential { credential: Credential::OAuth(tokens), identity: identity.to_owned() }
}

fn secrets(store: &Store, provider: &str) -> Vec<String> {
    let rows = store.of_provider(provider).unwrap();
    rows.iter().map(|row| row.credential.secret().reveal().to_owned()).collect()
}

// proves: AUT-005
#[test]
fn what_is_stored_is_there_again_and_private() {
    let (_directory, path) = place();
    assert!(Store::existing(&path).unwrap().is_none());
    assert!(!path.exists(), "looking creates nothing");
    let store = Store::create(&path).unwrap();
    store.save("p", "p", &key("k"), 5).unwrap();
    for file in ["agent.db", "agent.db-wal", "agent.db-shm"] {
        let mode = path.with_file_name(file).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    drop(store);
    let again = Store::existing(&path).unwrap().unwrap();
    assert_eq!(secrets(&again, "p"), ["k"]);
    assert_eq!(again.providers().unwrap(), ["p"]);
}

#[test]
fn a_file_that_others_could_read_is_closed_to_them() {
    let (_directory, path) = place();
    let store = Store::create(&path).unwrap();
    store.save("p", "p", &key("k"), 1).unwrap();
    let files = ["agent.db", "agent.db-wal", "agent.db-shm"].map(|name| path.with_file_name(name));
    for file in &files {
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    assert!(Store::existing(&path).unwrap().is_some());
    for file in &files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
}

// proves: AUT-025
#[test]
fn an_identity_has_one_row_and_keys_come_before_accounts() {
    let (_directory, path) = place();
    let store = Store::create(&path).unwrap();
    store.save("p", "p", &account("a1", "one"), 1).unwrap();
    store.save("p", "p", &account("b1", "two"), 1).unwrap();
    store.save("p", "p", &key("k1"), 1).unwrap();
    store.save("p", "p", &key("k2"), 1).unwrap();
    store.save("q", "q", &key("k1"), 1).unwrap();
    assert_eq!(secrets(&store, "p"), ["k1", "k2", "a1", "b1"]);
    let first = store.of_provider("p").unwrap().remove(2);
    store.disable(first.id, first.revision, "revoked").unwrap();
    store.save("p", "p", &account("a2", "one"), 2).unwrap();
    store.save("p", "p", &key("k1"), 2).unwrap();
    assert_eq!(secrets(&store, "p"), ["k1", "k2", "a2", "b1"]);
    let first = store.of_provider("p").unwrap().remove(2);
    assert_eq!((first.disabled, first.revision), (None, 1), "a new login works again");
    assert_eq!(store.remove("p").unwrap(), 4);
    assert_eq!(store.providers().unwrap(), ["q"]);
}

/// Neither a new secret nor a verdict hits a row that changed meanwhile.
#[test]
fn changes_are_made_only_to_what_was_seen() {
    let (_directory, path) = place();
    let store = Store::create(&path).unwrap();
    store.save("p", "p", &account("a1", "one"), 1).unwrap();
    let seen = store.of_provider("p").unwrap().remove(0);
    let newer = account("a2", "one").credential;
    assert!(store.renew(seen.id, seen.revision, &newer, 2).unwrap());
    assert!(!store.renew(seen.id, seen.revision, &account("a3", "one").credential, 3).unwrap());
    assert!(!store.disable(seen.id, seen.revision, "late").unwrap());
    let row = store.by_id(seen.id).unwrap().unwrap();
    assert_eq!((row.credential, row.disabled), (newer, None));
}

#[test]
fn other_tables_stay_and_missing_ones_are_made_beside_them() {
    let (_directory, path) = place();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE settings (key TEXT); INSERT INTO settings VALUES ('theirs')").unwrap();
    assert!(Store::existing(&path).unwrap().is_none());
    Store::create(&path).unwrap().save("p", "p", &key("k"), 1).unwrap();
    let theirs: String = other.query_row("SELECT key FROM settings", [], |row| row.get(0)).unwrap();
    assert_eq!(theirs, "theirs");
}

#[test]
fn what_cannot_be_understood_is_named_and_left_alone() {
    let (_directory, path) = place();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "not a database, but long enough to look like one\n".repeat(100)).unwrap();
    let before = std::fs::read(&path).unwrap();
    for result in [Store::existing(&path).err(), Store::create(&path).err()] {
        assert!(matches!(result, Some(StoreError::Corrupt(_))), "{result:?}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);

    std::fs::remove_file(&path).unwrap();
    drop(Store::create(&path).unwrap());
    Connection::open(&path).unwrap().execute("UPDATE omp_auth_schema SET version = 7", []).unwrap();
    let newer = Store::create(&path).err().unwrap();
    assert!(matches!(newer, StoreError::Newer { version: 7, .. }), "{newer}");
    Connection::open(&path).unwrap().execute("DROP TABLE omp_auth_schema", []).unwrap();
    assert!(matches!(Store::create(&path).err(), Some(StoreError::UnknownForm(_))));
}

#[test]
fn things_that_are_no_files_are_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(Store::existing(directory.path()).err(), Some(StoreError::Directory(_))));
    let socket = directory.path().join("agent.db");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(matches!(Store::create(&socket).err(), Some(StoreError::Special { .. })));
}

/// A row of a later version does not take the others with it.
#[test]
fn a_row_nobody_can_read_is_passed_over() {
    let (_directory, path) = place();
    let store = Store::create(&path).unwrap();
    store.save("p", "p", &key("bad"), 1).unwrap();
    store.save("p", "p", &key("good"), 1).unwrap();
    store.connection.execute("UPDATE omp_credentials SET data = 'x' WHERE id = 1", []).unwrap();
    assert_eq!(secrets(&store, "p"), ["good"]);
}

/// Many writers at once, each with its own connection, from the first creation on.
#[test]
fn nobody_is_told_that_the_database_is_locked() {
    let (_directory, path) = place();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for round in 0..10 {
                    let store = Store::create(path).unwrap();
                    store.save("p", "p", &key(&format!("{writer}-{round}")), 1).unwrap();
                }
            });
        }
    });
    assert_eq!(Store::existing(&path).unwrap().unwrap().of_provider("p").unwrap().len(), 80);
}
