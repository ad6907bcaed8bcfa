//! Flags that extensions register: they are read from the command line as if they were ours.

use omp_testkit::{Home, Output};

use crate::extensions::{done, extension, factory, log, scripted};
use crate::support::{last_user, omp_run};

/// Two flags, and what became of them when the session began.
fn with_flags(lines: &str) -> String {
    factory(&format!(
        r#"pi.registerFlag("team", {{ type: "string", default: "none", description: "Whose work it is" }});
        pi.registerFlag("fast", {{ type: "boolean" }});
        {lines}
        pi.on("session_start", () => log(pi.getFlag("team"), pi.getFlag("fast"), pi.getFlag("other")));"#
    ))
}

fn print(home: &Home, words: &[&str]) -> Output {
    omp_run(home, &[&["-p"], words].concat())
}

/// Every form that flags of ours have.
// proves: HOK-016, CLI-012
#[test]
fn flags_of_extensions_are_launch_flags() {
    for (words, told, prompt) in [
        (&["go"][..], "none undefined undefined", "go"),
        (&["--team", "red", "go"], "red undefined undefined", "go"),
        (&["--team=red", "--fast", "go"], "red true undefined", "go"),
        (&["go", "--team", "--fast"], "true true undefined", "go"),
        // A boolean one takes no word.
        (&["--fast", "go"], "none true undefined", "go"),
    ] {
        let (home, server) = scripted([done()]);
        extension(&home, "flags", &with_flags(""));
        let output = print(&home, words);
        assert_eq!(output.code, Some(0), "{words:?}: {output:?}");
        assert_eq!(log(&home), [told], "{words:?}");
        assert_eq!(last_user(&server.requests()[0].body), prompt, "{words:?}");
        server.finish();
    }
}

/// A built-in flag of the same name is not read, whatever it would take.
// proves: CLI-012
#[test]
fn a_flag_of_an_extension_goes_before_a_built_in_one() {
    let (home, server) = scripted([done()]);
    let lines = r#"pi.registerFlag("plan", { type: "boolean" });
        pi.on("session_start", () => log("plan", pi.getFlag("plan")));"#;
    extension(&home, "flags", &with_flags(lines));
    let output = print(&home, &["--plan", "the words of the prompt"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(log(&home)[0], "plan true");
    assert_eq!(last_user(&server.requests()[0].body), "the words of the prompt");
    server.finish();
}

// proves: CLI-042
#[test]
fn the_value_of_an_extension_flag_is_no_attachment() {
    let (home, server) = scripted([done()]);
    extension(&home, "flags", &with_flags(""));
    let output = print(&home, &["--team", "@missing.txt", "go"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(log(&home), ["@missing.txt undefined undefined"]);
    server.finish();
}

/// What no extension has is still refused, and says what there is.
#[test]
fn a_flag_that_nobody_registered_is_refused() {
    let home = Home::new();
    extension(&home, "flags", &with_flags(""));
    let output = print(&home, &["--tea", "red", "go"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("--tea") && output.stderr.contains("--team"), "{output:?}");
    home.write("work/.omp/extensions/theirs.ts", with_flags(""));
    let output = print(&home, &["--tea", "red", "go"]);
    assert!(output.stderr.contains("1 extension of this project was not loaded"), "{output:?}");
    let bare = omp_run(&Home::new(), &["-p", "--team", "red", "go"]);
    assert!(bare.code == Some(2) && bare.stderr.contains("--team"), "{bare:?}");
}
