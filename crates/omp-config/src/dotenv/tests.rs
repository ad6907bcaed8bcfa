use super::*;

struct Files {
    directory: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.directory.path().join(name), content).unwrap();
    }

    fn file(&self, name: &str, trust: Trust) -> EnvFile {
        EnvFile { path: self.directory.path().join(name), trust }
    }

    fn load(&self, names: &[&str]) -> (DotEnv, Vec<String>) {
        DotEnv::load(&names.iter().map(|name| self.file(name, Trust::User)).collect::<Vec<_>>())
    }
}

#[test]
fn the_first_file_decides_and_in_it_the_last_line() {
    let files = Files::new();
    files.write("a", "X=1\nX=2\n");
    files.write("b", "X=3\nY=4\n");
    let (env, warnings) = files.load(&["a", "missing", "b"]);
    assert_eq!((env.get("X"), env.get("Y"), env.get("Z")), (Some("2"), Some("4"), None));
    assert_eq!(warnings, Vec::<String>::new());
}

// proves: CLI-121
#[test]
fn the_newer_name_defines_the_older_one() {
    let files = Files::new();
    files.write("a", "OMP_TIMING=new\nPI_TIMING=old\nPI_OTHER=1\nOMP_=2\n");
    files.write("b", "PI_TIMING=later\nOMP_OTHER=later\n");
    let (env, _) = files.load(&["a", "b"]);
    assert_eq!((env.get("OMP_TIMING"), env.get("PI_TIMING")), (Some("new"), Some("new")));
    // The older name does not define the newer one, and an earlier file still goes first.
    assert_eq!((env.get("PI_OTHER"), env.get("OMP_OTHER")), (Some("1"), Some("later")));
    assert_eq!(env.get("PI_"), None);
}

#[test]
fn directories_are_not_chosen_by_any_file() {
    let files = Files::new();
    files.write("user", "OMP_PROFILE=x\nOMP_CODING_AGENT_DIR=x\nHOME=x\nOPENAI_BASE_URL=http://mine\n");
    let (env, warnings) = files.load(&["user"]);
    for name in ["OMP_PROFILE", "PI_PROFILE", "PI_CODING_AGENT_DIR", "HOME"] {
        assert_eq!(env.get(name), None, "{name}");
    }
    assert_eq!(env.get("OPENAI_BASE_URL"), Some("http://mine"));
    assert!(warnings[0].contains("OMP_PROFILE, OMP_CODING_AGENT_DIR, HOME cannot be set"), "{warnings:?}");
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let files = Files::new();
    let fifo = files.directory.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::create_dir(files.directory.path().join("directory")).unwrap();
    std::os::unix::fs::symlink("loop", files.directory.path().join("loop")).unwrap();
    files.write("large", "X=1\n".repeat(300_000));
    files.write("good", "Y=1\n");
    let (env, warnings) = files.load(&["fifo", "directory", "loop", "large", "good"]);
    assert_eq!((env.get("X"), env.get("Y")), (None, Some("1")));
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[0].ends_with("fifo: it is a named pipe"), "{warnings:?}");
    assert!(warnings[2].ends_with("large: it is larger than 1 MiB"), "{warnings:?}");
}

#[test]
fn a_project_is_told_what_had_no_effect() {
    let files = Files::new();
    files.write("project", "ANTHROPIC_BASE_URL=http://evil\nOMP_SHELL_PREFIX=./x\nOPENAI_API_KEY=k-1\n");
    let (env, warnings) = DotEnv::load(&[files.file("project", Trust::Project)]);
    assert_eq!(env.get("ANTHROPIC_BASE_URL"), None);
    assert_eq!(env.get("PI_SHELL_PREFIX"), None);
    assert_eq!(env.get("OPENAI_API_KEY"), Some("k-1"));
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("project: ANTHROPIC_BASE_URL, OMP_SHELL_PREFIX cannot be set there"),
        "{warnings:?}"
    );
    assert!(!warnings[0].contains("evil"), "{warnings:?}");
    // Many are counted.
    files.write("many", (0..9).map(|n| format!("A{n}_BASE_URL=x\n")).collect::<String>());
    let (_, warnings) = DotEnv::load(&[files.file("many", Trust::Project)]);
    assert!(warnings[0].contains("A4_BASE_URL and 4 more"), "{warnings:?}");
}

#[test]
fn values_are_not_in_debug_output() {
    let files = Files::new();
    files.write("a", "OPENAI_API_KEY=sk-secret\n");
    let (env, _) = files.load(&["a"]);
    assert_eq!(format!("{env:?}"), "{\"OPENAI_API_KEY\"}");
}
