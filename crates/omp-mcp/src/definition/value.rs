//! Values that are looked up right before a connection: `!command`, or the name of a variable.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use omp_shell::{Environment, Exit, Program, Scope, answer};

/// A command that asks a password manager waits for a person at most so long.
const COMMAND_LIMIT: Duration = Duration::from_secs(10);
/// More is no password.
const MOST_OUTPUT: usize = 64 * 1024;

/// Resolves values; what commands said is remembered.
pub(crate) struct Resolver {
    scope: Arc<Scope>,
    environment: Environment,
    cwd: PathBuf,
    said: Mutex<HashMap<String, Option<String>>>,
}

impl Resolver {
    pub(crate) fn new(scope: Arc<Scope>, environment: Environment, cwd: PathBuf) -> Self {
        Self { scope, environment, cwd, said: Mutex::default() }
    }

    /// Forgets what commands said, so that a credential that was refused is asked for again.
    pub(crate) fn forget(&self) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The map with every value resolved. Entries whose command fails or says nothing are left out, and named.
    pub(crate) async fn all(
        &self,
        values: &BTreeMap<String, String>,
    ) -> (BTreeMap<String, String>, Vec<String>) {
        let (mut resolved, mut missing) = (BTreeMap::new(), Vec::new());
        for (name, value) in values {
            match self.one(value).await {
                Some(value) => drop(resolved.insert(name.clone(), value)),
                None => missing.push(name.clone()),
            }
        }
        (resolved, missing)
    }

    async fn one(&self, value: &str) -> Option<String> {
        let Some(command) = value.strip_prefix('!') else {
            let variable = self.environment.get(value).filter(|_| !value.is_empty());
            return Some(
                variable.map_or_else(|| value.to_owned(), |text| text.to_string_lossy().into_owned()),
            );
        };
        let known = self.said.lock().unwrap_or_else(PoisonError::into_inner).get(command).cloned();
        if let Some(known) = known {
            return known;
        }
        let said = self.run(command).await;
        self.said.lock().unwrap_or_else(PoisonError::into_inner).insert(command.to_owned(), said.clone());
        said
    }

    async fn run(&self, command: &str) -> Option<String> {
        let child = self.scope.spawn(Program::asked(
            "sh",
            ["-c", command],
            self.cwd.clone(),
            self.environment.clone(),
        ));
        let answer = tokio::time::timeout(COMMAND_LIMIT, answer(child.ok()?, MOST_OUTPUT, 0)).await.ok()?;
        let text = answer.output.trim();
        (answer.exit == Exit::Exited(0) && !text.is_empty()).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn three_kinds_of_values() {
        let environment: Environment =
            [("PATH", "/usr/bin:/bin"), ("TOKEN", "from the environment")].into_iter().collect();
        let resolver = Resolver::new(Arc::new(Scope::new()), environment, "/".into());
        let values = [
            ("command", "!echo ' said '"),
            ("variable", "TOKEN"),
            ("literal", "Bearer x"),
            ("empty", ""),
            ("failed", "!echo x; exit 1"),
            ("blank", "!echo"),
        ];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let (resolved, missing) = resolver.all(&values).await;
        let resolved: Vec<(&str, &str)> =
            resolved.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            resolved,
            [
                ("command", "said"),
                ("empty", ""),
                ("literal", "Bearer x"),
                ("variable", "from the environment")
            ]
        );
        assert_eq!(missing, ["blank", "failed"]);
    }
}
