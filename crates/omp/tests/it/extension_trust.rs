//! Extensions that a project brings: what a user agrees to, and what is refused all the same.

use omp_testkit::Home;

use crate::extensions::{done, factory, log, scripted};
use crate::support::omp_run;

const MINE: &str = "work/.omp/extensions/mine.ts";

fn print(home: &Home) -> String {
    let output = omp_run(home, &["-p", "go"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stderr
}

fn trust(home: &Home) -> String {
    let output = omp_run(home, &["trust", "add"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stdout
}

/// Code of a project runs only as the user has agreed to it; a flag says otherwise for once.
// proves: SEC-039
#[test]
fn extensions_of_a_project_need_consent() {
    let source = factory("pi.on('session_start', () => log('loaded'));");
    let (home, server) = scripted([done(), done(), done(), done()]);
    home.write("work/.omp/extensions/mine.ts", &source);
    let refused = omp_run(&home, &["-p", "go"]);
    assert!(log(&home).is_empty() && refused.stderr.contains("not trusted"), "{refused:?}");
    omp_run(&home, &["-p", "go", "--trusted-extension", ".omp/extensions/mine.ts"]);
    assert_eq!(log(&home).len(), 1, "named as trusted");
    let listed = omp_run(&home, &["trust", "add"]);
    assert!(listed.stdout.contains("extension"), "{listed:?}");
    omp_run(&home, &["-p", "go"]);
    assert_eq!(log(&home).len(), 2, "trusted");
    home.write("work/.omp/extensions/mine.ts", format!("{source}\n// changed"));
    let changed = omp_run(&home, &["-p", "go"]);
    assert_eq!(log(&home).len(), 2, "{changed:?}");
    server.finish();
}

/// The consent covers what is imported, wherever that is, and says so.
// proves: SEC-039
#[test]
fn code_elsewhere_is_agreed_to_as_well() {
    let (home, server) = scripted([done(), done(), done()]);
    home.write("work/src/shared.ts", "import './deeper.cjs';\nexport const word = 'first';");
    home.write("work/src/deeper.cjs", "");
    home.write("work/node_modules/kit/package.json", r#"{"main": "kit.js"}"#);
    home.write("work/node_modules/kit/kit.js", "module.exports = 'kit';");
    let source = factory("pi.on('session_start', () => log(word, kit));");
    home.write(MINE, format!("import {{ word }} from '../../src/shared';\nimport kit from 'kit';\n{source}"));
    let listed = trust(&home);
    for file in ["src/shared.ts", "src/deeper.cjs", "node_modules/kit/kit.js"] {
        assert!(listed.contains(file), "{file}: {listed}");
    }
    print(&home);
    assert_eq!(log(&home), ["first kit"]);
    home.write("work/src/deeper.cjs", "globalThis.sneaked = true;");
    assert!(print(&home).contains("1 extension of this project was not loaded"));
    assert_eq!(log(&home).len(), 1);
    trust(&home);
    print(&home);
    assert_eq!(log(&home).len(), 2);
    server.finish();
}

/// What no consent covered is not loaded: a name that is made up at run time, and a file written after the start.
// proves: SEC-039
#[test]
fn code_that_nobody_saw_is_refused() {
    let (home, server) = scripted([done()]);
    home.write(
        "work/src/unseen.ts",
        "import { appendFileSync } from 'node:fs';\nappendFileSync('log.txt', 'ran\\n');",
    );
    home.write("work/.omp/extensions/late.ts", "export default () => undefined;");
    let lines = r#"pi.on("session_start", async () => {
        const attempt = async (name: string) => import(name).then(() => log("loaded", name), (error) => log(error.message));
        await attempt(["..", "..", "src", "unseen.ts"].join("/"));
        await attempt([process.cwd(), "src/unseen.ts"].join("/"));
        writeFileSync(".omp/extensions/late.ts", "export const evil = 1;");
        await attempt(["./late", "ts"].join("."));
        await attempt(["./written", "ts"].join("."));
    });"#;
    home.write(MINE, format!("import {{ writeFileSync }} from 'node:fs';\n{}", factory(lines)));
    trust(&home);
    print(&home);
    let (work, unseen) = (home.work_dir(), "it is not among the files that you trusted");
    let expected = [
        format!("cannot load {}: {unseen}", work.join("src/unseen.ts").display()),
        format!("cannot load {}: {unseen}", work.join("src/unseen.ts").display()),
        format!(
            "cannot load {}: it has changed since you trusted it",
            work.join(".omp/extensions/late.ts").display()
        ),
    ];
    let lines = log(&home);
    assert_eq!(lines[..3], expected);
    assert!(lines.len() == 4 && lines[3].contains("./written.ts"), "{lines:?}");
    server.finish();
}

/// Settings of a project name no extension: only a user's settings do.
// proves: SEC-039
#[test]
fn a_project_cannot_name_an_extension_elsewhere() {
    let (home, server) = scripted([done(), done()]);
    home.write("home/elsewhere.ts", factory("pi.on('session_start', () => log('loaded'));"));
    let setting = format!("extensions:\n  - {}\n", home.home_dir().join("elsewhere.ts").display());
    home.write("work/.omp/config.yml", &setting);
    print(&home);
    assert!(log(&home).is_empty());
    home.write("home/.omp/agent/config.yml", &setting);
    print(&home);
    assert_eq!(log(&home), ["loaded"]);
    server.finish();
}
