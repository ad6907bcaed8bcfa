//! Reads addresses: from the cache while it is fresh, through `gh` otherwise.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::address::{Address, Comments, DiffPart, Filters, Item, ItemKind, Repository, Target};
use crate::cache::{Age, CacheOptions, CachedItem, Key};
use crate::fingerprint::fingerprint;
use crate::gh::{Gh, GhError};
use crate::show;

/// Comments on lines that are asked for.
const MOST_REMARKS: u32 = 100;

/// What an address says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// `text/markdown`, or `text/plain` for a diff.
    pub mime: &'static str,
}

/// GitHub, as one session sees it.
pub struct Github {
    gh: Gh,
    cache: Option<CacheOptions>,
    /// That of the working directory, once it was asked for.
    repository: OnceCell<Repository>,
    /// What is being read again in the background.
    refreshing: Mutex<HashSet<Key>>,
}

impl Github {
    /// Without a cache every read asks GitHub.
    pub fn new(gh: Gh, cache: Option<CacheOptions>) -> Arc<Self> {
        Arc::new(Self { gh, cache, repository: OnceCell::new(), refreshing: Mutex::default() })
    }

    /// Reads an address. The error is a sentence for the model.
    pub async fn read(
        self: &Arc<Self>,
        address: &Address,
        cancel: &CancellationToken,
    ) -> Result<Text, String> {
        match &address.target {
            Target::List(filters) => self.list(address, filters, cancel).await,
            Target::Item(item) => self.item(address, item, cancel).await,
            Target::Diff { number, part } => self.diff(address, *number, *part, cancel).await,
        }
    }

    async fn list(
        &self,
        address: &Address,
        filters: &Filters,
        cancel: &CancellationToken,
    ) -> Result<Text, String> {
        let kind = address.kind;
        let mut arguments = vec![command(kind).to_owned(), "list".to_owned()];
        arguments.extend(address.repository.as_ref().map(|repository| format!("--repo={repository}")));
        arguments.extend(filters.state.as_ref().map(|state| format!("--state={state}")));
        arguments.extend(filters.limit.map(|limit| format!("--limit={limit}")));
        arguments.extend(filters.author.as_ref().map(|author| format!("--author={author}")));
        arguments.extend(filters.label.as_ref().map(|label| format!("--label={label}")));
        arguments.push(format!("--json={}", show::LIST_FIELDS));
        let items = self.json(&arguments, cancel).await?;
        let place = address.repository.as_ref().map(Repository::as_str);
        Ok(Text { text: show::overview(kind, place, &items), mime: "text/markdown" })
    }

    async fn item(
        self: &Arc<Self>,
        address: &Address,
        item: &Item,
        cancel: &CancellationToken,
    ) -> Result<Text, String> {
        let variant = match item.comments {
            Comments::With => "comments",
            Comments::Without => "bare",
        };
        let key = self.key(address, address.kind.scheme(), item.number, variant, cancel).await?;
        let row = self.cached(key, cancel).await?;
        Ok(Text { text: row.rendered, mime: "text/markdown" })
    }

    async fn diff(
        self: &Arc<Self>,
        address: &Address,
        number: u64,
        part: DiffPart,
        cancel: &CancellationToken,
    ) -> Result<Text, String> {
        let key = self.key(address, "pr-diff", number, "", cancel).await?;
        let row = self.cached(key, cancel).await?;
        let place = match &address.repository {
            Some(repository) => format!("pr://{repository}/{number}"),
            None => format!("pr://{number}"),
        };
        Ok(Text { text: show::part(&row.payload, &place, part)?, mime: "text/plain" })
    }

    async fn key(
        &self,
        address: &Address,
        kind: &'static str,
        number: u64,
        variant: &'static str,
        cancel: &CancellationToken,
    ) -> Result<Key, String> {
        let repository = match &address.repository {
            Some(repository) => repository,
            None => self.repository.get_or_try_init(|| self.ask_repository(cancel)).await?,
        };
        // GitHub does not care about case.
        let repository = repository.as_str().to_ascii_lowercase();
        Ok(Key { user: self.user().await, kind, repository, number, variant })
    }

    /// Asked each time: somebody may have logged in since the last.
    async fn user(&self) -> String {
        let environment = self.gh.environment.clone();
        let read = move || fingerprint(|name| Some(environment.get(name)?.to_string_lossy().into_owned()));
        tokio::task::spawn_blocking(read).await.unwrap_or_default()
    }

    async fn ask_repository(&self, cancel: &CancellationToken) -> Result<Repository, String> {
        let arguments = ["repo", "view", "--json=nameWithOwner", "--jq=.nameWithOwner"].map(str::to_owned);
        let answer = self.gh.run(&arguments, cancel).await.map_err(explain)?;
        let found = answer.trim().split_once('/').and_then(|(owner, name)| Repository::new(owner, name));
        found.ok_or_else(|| explain(GhError::NoRepository))
    }

    /// A stale row is given at once, and read again in the background.
    async fn cached(self: &Arc<Self>, key: Key, cancel: &CancellationToken) -> Result<CachedItem, String> {
        match self.look(&key).await {
            Some((row, Age::Fresh)) => Ok(row),
            Some((row, Age::Stale)) => {
                self.refresh(key);
                Ok(row)
            }
            None => self.fetch(&key, cancel).await,
        }
    }

    fn refresh(self: &Arc<Self>, key: Key) {
        if !self.refreshing().insert(key.clone()) {
            return;
        }
        let github = Arc::clone(self);
        // Its process ends with the scope, at the latest.
        tokio::spawn(async move {
            // Who reads next gets the old row again, or is told what is wrong when that is too old.
            let _ = github.fetch(&key, &CancellationToken::new()).await;
            github.refreshing().remove(&key);
        });
    }

    fn refreshing(&self) -> std::sync::MutexGuard<'_, HashSet<Key>> {
        self.refreshing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks GitHub, and keeps the answer.
    async fn fetch(&self, key: &Key, cancel: &CancellationToken) -> Result<CachedItem, String> {
        let row = match key.kind {
            "pr-diff" => self.fetch_diff(key, cancel).await?,
            "pr" => self.fetch_item(ItemKind::PullRequest, key, cancel).await?,
            _ => self.fetch_item(ItemKind::Issue, key, cancel).await?,
        };
        self.keep(key, &row).await;
        Ok(row)
    }

    async fn fetch_diff(&self, key: &Key, cancel: &CancellationToken) -> Result<CachedItem, String> {
        let repository = format!("--repo={}", key.repository);
        let arguments =
            ["pr", "diff", &key.number.to_string(), &repository, "--color=never"].map(str::to_owned);
        let payload = self.gh.run(&arguments, cancel).await.map_err(explain)?;
        Ok(CachedItem { rendered: String::new(), payload })
    }

    async fn fetch_item(
        &self,
        kind: ItemKind,
        key: &Key,
        cancel: &CancellationToken,
    ) -> Result<CachedItem, String> {
        let comments = key.variant == "comments";
        let (repository, fields) = (format!("--repo={}", key.repository), show::fields(kind, comments));
        let number = key.number.to_string();
        let view =
            [command(kind), "view", &number, &repository, &format!("--json={fields}")].map(str::to_owned);
        let remarks = async {
            if kind != ItemKind::PullRequest || !comments {
                return Value::Null;
            }
            let path = format!("repos/{}/pulls/{number}/comments?per_page={MOST_REMARKS}", key.repository);
            // A pull request is worth reading without them.
            self.json(&["api".to_owned(), "--method=GET".to_owned(), path], cancel).await.unwrap_or_default()
        };
        let (item, remarks) = tokio::join!(self.json(&view, cancel), remarks);
        let item = item?;
        let rendered = show::item(kind, &item, &remarks);
        let payload = serde_json::json!({ "item": item, "reviewComments": remarks }).to_string();
        Ok(CachedItem { rendered, payload })
    }

    async fn json(&self, arguments: &[String], cancel: &CancellationToken) -> Result<Value, String> {
        let answer = self.gh.run(arguments, cancel).await.map_err(explain)?;
        if answer.trim().is_empty() {
            return Err(format!("gh {} printed nothing", arguments.join(" ")));
        }
        serde_json::from_str(&answer)
            .map_err(|error| format!("gh {} did not print JSON: {error}", arguments.join(" ")))
    }

    async fn look(&self, key: &Key) -> Option<(CachedItem, Age)> {
        let (cache, key) = (self.cache.clone()?, key.clone());
        tokio::task::spawn_blocking(move || cache.get(&key, now())).await.ok()?
    }

    async fn keep(&self, key: &Key, row: &CachedItem) {
        let Some(cache) = self.cache.clone() else { return };
        let (key, row) = (key.clone(), row.clone());
        // Whatever is wrong with the file, the answer is here.
        let _ = tokio::task::spawn_blocking(move || cache.put(&key, &row, now())).await;
    }
}

/// What `gh` calls it.
fn command(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Issue => "issue",
        ItemKind::PullRequest => "pr",
    }
}

fn explain(error: GhError) -> String {
    match error {
        GhError::NoRepository => {
            "the working directory is not a GitHub repository that gh knows; specify one, as in \
             issue://<owner>/<repo>/<number>"
                .to_owned()
        }
        other => other.to_string(),
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
