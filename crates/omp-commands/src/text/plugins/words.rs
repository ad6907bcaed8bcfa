//! What is typed behind `/marketplace` and `/plugins`.

use omp_sdk::plugins::marketplace::{InvalidPluginId, PluginId, PluginScope, Reinstall};

use super::MarketplaceAction;

/// A line of words behind `/marketplace` or `/plugins`.
pub(super) struct Words {
    pub(super) words: Vec<String>,
    scope: Option<PluginScope>,
    force: bool,
    pub(super) fix: bool,
}

impl Words {
    pub(super) fn parse(arguments: &str) -> Result<Self, String> {
        let mut parsed = Self { words: Vec::new(), scope: None, force: false, fix: false };
        let all = crate::text::machines::words(arguments);
        let mut words = all.iter();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--") else {
                parsed.words.push(word.clone());
                continue;
            };
            match flag {
                "force" => parsed.force = true,
                "fix" => parsed.fix = true,
                _ => {
                    let (name, value) = crate::text::machines::flag_value(flag, &mut words)?;
                    if name != "scope" {
                        return Err(format!("unknown flag --{name}"));
                    }
                    let scope = PluginScope::from_word(&value);
                    parsed.scope = Some(scope.ok_or("--scope must be user or project")?);
                }
            }
        }
        Ok(parsed)
    }

    fn id(&self) -> Result<PluginId, String> {
        let id = self.only()?.ok_or("name the plugin: name@marketplace (see /plugins list)")?;
        id.parse().map_err(|error: InvalidPluginId| error.to_string())
    }

    /// The one word behind the action.
    pub(super) fn only(&self) -> Result<Option<String>, String> {
        match self.words.get(1..).unwrap_or_default() {
            [] => Ok(None),
            [one] => Ok(Some(one.clone())),
            [_, more, ..] => Err(format!("unexpected argument {more:?}")),
        }
    }

    fn named(&self) -> Result<String, String> {
        self.only()?.ok_or_else(|| format!("{}: the name is missing", self.words[0]))
    }

    pub(super) fn action(&self) -> Result<Option<MarketplaceAction>, String> {
        let scope = self.scope;
        Ok(Some(match self.words.first().map_or("list", String::as_str) {
            "list" | "ls" => MarketplaceAction::List,
            "add" => MarketplaceAction::Add(self.named()?),
            "remove" | "rm" => MarketplaceAction::Remove(self.named()?),
            "update" => MarketplaceAction::Update(self.only()?),
            "discover" => MarketplaceAction::Discover(self.only()?),
            "installed" => MarketplaceAction::Installed,
            "install" => MarketplaceAction::Install {
                id: self.id()?,
                scope: scope.unwrap_or(PluginScope::User),
                reinstall: if self.force { Reinstall::Force } else { Reinstall::Refuse },
            },
            "uninstall" => MarketplaceAction::Uninstall(self.id()?, scope),
            "enable" => MarketplaceAction::SetEnabled(self.id()?, scope, true),
            "disable" => MarketplaceAction::SetEnabled(self.id()?, scope, false),
            "rollback" => MarketplaceAction::Rollback(self.id()?, scope),
            "upgrade" => match self.only()? {
                Some(_) => MarketplaceAction::Upgrade(Some(self.id()?), scope),
                None => MarketplaceAction::Upgrade(None, scope),
            },
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_actions() {
        let action = |line: &str| Words::parse(line).and_then(|words| words.action());
        let id: PluginId = "a@m".parse().unwrap();
        let user = Some(PluginScope::User);
        assert_eq!(action(""), Ok(Some(MarketplaceAction::List)));
        assert_eq!(action("add ./x"), Ok(Some(MarketplaceAction::Add("./x".to_owned()))));
        assert_eq!(
            action("install --force --scope project a@m"),
            Ok(Some(MarketplaceAction::Install {
                id: id.clone(),
                scope: PluginScope::Project,
                reinstall: Reinstall::Force
            }))
        );
        assert_eq!(
            action("disable a@m --scope=user"),
            Ok(Some(MarketplaceAction::SetEnabled(id, user, false)))
        );
        assert_eq!(action("upgrade"), Ok(Some(MarketplaceAction::Upgrade(None, None))));
        assert_eq!(action("frobnicate"), Ok(None));
        for (line, said) in [
            ("install", "name the plugin"),
            ("install x", "is not a plugin"),
            ("add", "the name is missing"),
            ("add a b", "unexpected argument"),
            ("install --scope x a@m", "--scope must be"),
            ("install --color=no a@m", "unknown flag"),
        ] {
            let mistake = action(line).unwrap_err();
            assert!(mistake.contains(said), "{line}: {mistake}");
        }
    }
}
