use std::path::Path;

use omp_shell::answer;

use super::*;

/// A repository of this machine, made by the real git.
pub(crate) struct Repository {
    home: tempfile::TempDir,
}

impl Repository {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.home.path().join("repository")
    }

    pub(crate) async fn git(&self, words: &[&str]) -> String {
        std::fs::create_dir_all(self.path()).unwrap();
        let scope = Scope::new();
        let mut environment = Environment::inherited();
        for (name, value) in
            [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_AUTHOR_NAME", "a"), ("GIT_COMMITTER_NAME", "a")]
        {
            environment.set(name, value);
        }
        environment.set("EMAIL", "a@example.com");
        let said =
            answer(scope.spawn(Program::asked("git", words, self.path(), environment)).unwrap(), 9999, 9999);
        let said = said.await;
        scope.end().await;
        assert_eq!(said.exit, Exit::Exited(0), "{words:?}: {}", said.complaint);
        said.output.trim().to_owned()
    }

    pub(crate) async fn commit(&self, file: &str, text: &str) -> String {
        std::fs::create_dir_all(self.path().join(file).parent().unwrap()).unwrap();
        std::fs::write(self.path().join(file), text).unwrap();
        self.git(&["add", "-A"]).await;
        self.git(&["commit", "-q", "-m", text]).await;
        self.git(&["rev-parse", "HEAD"]).await
    }

    async fn clone(&self, reference: Option<&str>, sha: Option<&str>) -> Result<(String, String), GitError> {
        let into = tempfile::tempdir().unwrap();
        let git = Git::new(Environment::inherited(), CancellationToken::new());
        let revision = Revision { reference: reference.map(str::to_owned), sha: sha.map(str::to_owned) };
        let commit = git.clone(&GitSource::local(&self.path()), &revision, into.path()).await?;
        assert!(!into.path().join(".git").exists());
        Ok((commit, std::fs::read_to_string(into.path().join("file")).unwrap()))
    }
}

#[tokio::test]
async fn a_commit_is_what_was_asked_for() {
    let repository = Repository::new();
    repository.git(&["init", "-q", "-b", "main"]).await;
    let first = repository.commit("file", "one").await;
    repository.git(&["tag", "v1"]).await;
    let second = repository.commit("file", "two").await;
    repository.git(&["checkout", "-q", "-b", "side", &first]).await;
    let side = repository.commit("file", "side").await;
    repository.git(&["checkout", "-q", "main"]).await;
    let file = |result: Result<(String, String), GitError>| result.unwrap();
    assert_eq!(file(repository.clone(None, None).await), (second.clone(), "two".to_owned()));
    assert_eq!(file(repository.clone(Some("v1"), None).await), (first.clone(), "one".to_owned()));
    assert_eq!(file(repository.clone(Some("side"), Some(&side)).await), (side.clone(), "side".to_owned()));
    assert_eq!(file(repository.clone(None, Some(&first)).await), (first.clone(), "one".to_owned()));
    assert_eq!(file(repository.clone(None, Some(&side)).await), (side.clone(), "side".to_owned()));
    assert_eq!(file(repository.clone(Some("main"), Some(&first)).await), (first, "one".to_owned()));
    let said = repository.clone(Some("main"), Some(&side)).await.unwrap_err();
    assert!(matches!(said, GitError::OtherCommit { .. }), "{said}");
    let nowhere = "0123456789012345678901234567890123456789";
    let said = repository.clone(None, Some(nowhere)).await.unwrap_err().to_string();
    assert!(said.ends_with(&format!("does not have the commit {nowhere}; refused")), "{said}");
    for bad in ["abc", "HEAD", "--upload-pack=x"] {
        let said = repository.clone(None, Some(bad)).await.unwrap_err();
        assert!(matches!(said, GitError::Reference(_)), "{said}");
    }
    let said = repository.clone(Some("--upload-pack=touch /tmp/x"), None).await.unwrap_err();
    assert!(matches!(said, GitError::Reference(_)), "{said}");
}

/// Hooks, filters, submodules and links to git's own directory are data.
#[tokio::test]
async fn code_of_a_repository_does_not_run() {
    let repository = Repository::new();
    repository.git(&["init", "-q", "-b", "main"]).await;
    let mark = repository.home.path().join("ran");
    for hook in ["post-checkout", "post-index-change", "reference-transaction"] {
        let hook = repository.path().join(".git/hooks").join(hook);
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, "").unwrap();
    }
    std::fs::write(repository.path().join(".gitattributes"), "* filter=evil\n").unwrap();
    std::fs::write(
        repository.path().join(".gitmodules"),
        format!("[submodule \"x\"]\n path = x\n url = ext::sh -c \"touch {}\"\n", mark.display()),
    )
    .unwrap();
    repository.commit("file", "one").await;
    let (_, text) = repository.clone(None, None).await.unwrap();
    assert_eq!(text, "one");
    assert!(!mark.exists());
}

// proves: HOK-096
#[tokio::test]
async fn a_remote_that_fails_or_hangs_is_one_sentence() {
    let nowhere = GitSource::local(Path::new("/nowhere/at/all"));
    let into = tempfile::tempdir().unwrap();
    let git = Git::new(Environment::inherited(), CancellationToken::new());
    let said = git.clone(&nowhere, &Revision::default(), into.path()).await.unwrap_err().to_string();
    assert!(said.starts_with("cannot clone /nowhere/at/all: ") && !said.contains('\n'), "{said}");

    let hangs = |git: Git| async move {
        let into = tempfile::tempdir().unwrap();
        let source = GitSource::remote("ssh://example.invalid/a").unwrap();
        git.clone(&source, &Revision::default(), into.path()).await.unwrap_err()
    };
    let mut environment = Environment::inherited();
    environment.set("GIT_SSH_COMMAND", "sleep 1000; true");
    let git = Git::new(environment.clone(), CancellationToken::new()).patience(Duration::from_millis(300));
    assert!(matches!(hangs(git).await, GitError::TimedOut { .. }));
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(matches!(hangs(Git::new(environment, cancel)).await, GitError::Cancelled));

    let mut environment = Environment::inherited();
    // What git and ssh would ask is answered with a no.
    environment.set("GIT_SSH_COMMAND", "sh -c '$SSH_ASKPASS password && echo asked >&2; exit 1'");
    let said = hangs(Git::new(environment, CancellationToken::new())).await.to_string();
    assert!(!said.contains("asked") && said.starts_with("cannot clone ssh://example.invalid/a: "), "{said}");
}
