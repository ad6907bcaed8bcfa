#[test]
fn dump() {
    use omp_cli::*;
    std::fs::write("/tmp/h80", render_help(Topic::Program, 80, "0.1.0")).unwrap();
    std::fs::write("/tmp/h50", render_help(Topic::Program, 50, "0.1.0")).unwrap();
    std::fs::write("/tmp/hgrep", render_help(Topic::Command("ssh"), 80, "0.1.0")).unwrap();
    std::fs::write("/tmp/hplugin", render_help(Topic::Command("worktree"), 80, "0.1.0")).unwrap();
    std::fs::write("/tmp/omp.bash", completion_script(Shell::Bash)).unwrap();
    std::fs::write("/tmp/omp.zsh", completion_script(Shell::Zsh)).unwrap();
    std::fs::write("/tmp/omp.fish", completion_script(Shell::Fish)).unwrap();
}
