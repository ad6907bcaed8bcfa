//! What only Linux has.

use super::{read, root, sources};

/// Calls, flags and files of Linux are in `sys` modules, which have a portable part beside each of them, so that a build for
/// another system starts from something that compiles and was tested. See docs/platforms.md.
#[test]
fn what_only_linux_has_is_in_sys_modules() {
    let of_linux = [
        "prctl",
        "libc::SYS_",
        "memfd",
        "O_TMPFILE",
        "signalfd",
        "pipe2(",
        "O_PATH",
        "MSG_NOSIGNAL",
        "MSG_CMSG_CLOEXEC",
        "SOCK_CLOEXEC",
        "SeqPacket",
        "fadvise",
        "fallocate",
        "epoll",
        "inotify",
        "close_range(",
        "\"/proc",
        "target_os = \"linux\"",
    ];
    let allowed = [
        // Paths that commands name are judged, whatever system they are of.
        "crates/omp-guard/src/",
        // Where a user's files are by convention.
        "crates/omp-config/src/xdg.rs",
        // Looks at processes for tests.
        "crates/omp-testkit/src/",
    ];
    for path in sources() {
        let shown = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let is_sys = shown.contains("/src/sys/") || shown.ends_with("/src/sys.rs");
        let is_test = shown.contains("/tests/") || shown.ends_with("/tests.rs");
        if is_sys
            || is_test
            || !shown.contains("/src/")
            || allowed.iter().any(|allowed| shown.starts_with(allowed))
        {
            continue;
        }
        let text = read(&path);
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for needle in of_linux {
                assert!(!line.contains(needle), "{shown} uses {needle} outside of a sys module:\n{line}");
            }
        }
    }
}

/// Every `sys` module can be forced into its portable part.
#[test]
fn every_sys_module_has_a_portable_part() {
    let mut modules = sources();
    modules.retain(|path| path.ends_with("src/sys.rs") || path.ends_with("src/sys/mod.rs"));
    assert!(modules.len() >= 6, "{modules:?}");
    for path in modules {
        let text = read(&path);
        let attributes = |condition: &str| {
            let [cfg, cfg_attr] = ["cfg", "cfg_attr"].map(|kind| format!("\n#[{kind}({condition}"));
            text.matches(&cfg).count() + text.matches(&cfg_attr).count()
        };
        let linux = attributes("all(target_os = \"linux\", not(omp_portable))");
        let portable = attributes("not(all(target_os = \"linux\", not(omp_portable)))");
        assert!(linux > 0 && linux == portable, "{}: {linux} and {portable}", path.display());
        let name = path
            .parent()
            .unwrap()
            .ancestors()
            .find_map(|path| path.file_name()?.to_str()?.strip_prefix("omp"));
        let crate_name = format!("omp{}", name.unwrap_or_default());
        // The binary itself is not part of the second run.
        let test = read(&root().join("test"));
        assert!(
            crate_name == "omp" || test.contains(&format!("-p {crate_name}")),
            "./test runs {crate_name} once only"
        );
    }
}
