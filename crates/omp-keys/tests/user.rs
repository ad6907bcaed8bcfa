//! Keys of a user with profiles.

use std::path::Path;

use omp_config::Directories;
use omp_keys::{Action, Bindings, Chord, Platform, load};

fn chords(home: &Path, profile: Option<&str>, action: &str) -> Vec<String> {
    let variables = |name: &str| (name == "HOME").then(|| home.to_str().unwrap().to_owned());
    let directories = Directories::for_profile(profile, variables).unwrap();
    let places = directories.keybindings();
    let places: Vec<&Path> = places.iter().map(AsRef::as_ref).collect();
    let loaded = load(&places);
    assert_eq!(loaded.warnings, [""; 0]);
    let bindings = Bindings::new(Platform::Unix, &loaded.keys);
    bindings.chords(Action::find(action).unwrap()).iter().map(Chord::to_string).collect()
}

/// proves: CLI-249
#[test]
fn a_profile_changes_what_the_default_one_says() {
    let home = tempfile::tempdir().unwrap();
    let put = |place: &str, text: &str| {
        let directory = home.path().join(".omp").join(place);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("keybindings.yml"), text).unwrap();
    };
    put("agent", "app.retry: F1\napp.plan.toggle: F2\napp.exit: []\n");
    put("profiles/work/agent", "app.plan.toggle: [F3, F4]\napp.exit: F5\n");
    let of = |profile, action| chords(home.path(), profile, action);
    assert_eq!(of(None, "app.retry"), ["F1"]);
    assert_eq!(of(None, "app.plan.toggle"), ["F2"]);
    assert_eq!(of(None, "app.exit"), [""; 0]);
    assert_eq!(of(Some("work"), "app.retry"), ["F1"]);
    assert_eq!(of(Some("work"), "app.plan.toggle"), ["F3", "F4"]);
    assert_eq!(of(Some("work"), "app.exit"), ["F5"]);
    assert_eq!(of(Some("other"), "app.plan.toggle"), ["F2"]);
    assert_eq!(of(Some("work"), "app.clear"), ["Ctrl+C"]);
}
