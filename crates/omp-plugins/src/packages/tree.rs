//! Which versions of which packages a package needs, and where each of them goes: as high as it can, below the package itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use futures_util::{StreamExt as _, stream};

use crate::registry::{Dependencies, Packument, Registry, RegistryError, Release, Version, VersionRange};

/// The most packages that one may need.
const MOST: usize = 3_000;
/// Questions to a registry at one time.
const AT_ONCE: usize = 12;

/// A package that another one needs.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Below the directory of the package.
    pub path: PathBuf,
    pub release: Release,
    /// Nothing is lost where it cannot be had.
    pub optional: bool,
}

/// What a package needs, and what it will have to do without.
#[derive(Clone, Debug, Default)]
pub struct DependencyTree {
    pub placed: Vec<Placed>,
    pub warnings: Vec<String>,
}

/// A package in the tree.
struct Node {
    parent: Option<usize>,
    path: PathBuf,
    version: Option<Version>,
    children: HashMap<String, usize>,
    needs: Dependencies,
    name: String,
    optional: bool,
    /// Who needed it first, and whether that one works without it.
    needed_by: (usize, bool),
    /// It cannot work, because something that it needs cannot be had.
    left_out: bool,
}

/// What one package needs of another.
struct Need {
    of: usize,
    name: String,
    range: String,
    /// Nothing is lost without it: it is optional itself, or belongs to something optional.
    optional: bool,
    /// Whoever needs it works without it.
    dispensable: bool,
}

pub(crate) struct Resolver<'a> {
    pub(crate) registry: &'a Registry,
    /// Packages that omp has built in.
    pub(crate) provided: &'a (dyn Fn(&str) -> bool + Send + Sync),
    pub(crate) progress: &'a (dyn Fn(usize) + Send + Sync),
}

impl Resolver<'_> {
    /// Finds everything that `package` needs, which needs `needs`.
    pub(crate) async fn resolve(
        &self,
        package: &str,
        needs: Dependencies,
    ) -> Result<DependencyTree, RegistryError> {
        let mut tree = DependencyTree::default();
        let root = Node {
            parent: None,
            path: PathBuf::new(),
            version: None,
            children: HashMap::new(),
            needs,
            name: package.to_owned(),
            optional: false,
            needed_by: (0, false),
            left_out: false,
        };
        let mut nodes = vec![root];
        let mut known: BTreeMap<String, Result<Packument, RegistryError>> = BTreeMap::new();
        let mut level = vec![0];
        while !level.is_empty() {
            let needs: Vec<Need> =
                level.iter().flat_map(|index| self.needs(*index, &nodes[*index])).collect();
            self.ask(&needs, &mut known).await;
            level = Vec::new();
            for need in needs {
                if nodes.len() > MOST {
                    let reason = format!("it needs more than {MOST} packages");
                    return Err(RegistryError::Download { name: package.to_owned(), reason });
                }
                level.extend(place(&need, &known, &mut nodes, &mut tree)?);
            }
            (self.progress)(nodes.len() - 1);
        }
        let left_out: Vec<&Path> =
            nodes.iter().filter(|node| node.left_out).map(|node| node.path.as_path()).collect();
        tree.placed.retain(|placed| !left_out.iter().any(|path| placed.path.starts_with(path)));
        Ok(tree)
    }

    /// What a package needs of others, without what omp has.
    fn needs(&self, index: usize, node: &Node) -> Vec<Need> {
        let need = |(name, range): &(String, String), optional| Need {
            of: index,
            name: name.clone(),
            range: range.clone(),
            optional: optional || node.optional,
            dispensable: optional,
        };
        // The API is in omp, and there only; libraries that omp has may be wanted in another version.
        let is_api = |name: &str| (self.provided)(name) && name.contains("/pi-");
        // What belongs to the original, it would bring itself.
        let of_original = |name: &str| {
            let scope = name.split_once("/pi-").map(|(scope, _)| scope);
            scope.is_some_and(|scope| (self.provided)(&format!("{scope}/pi-coding-agent")))
        };
        let is_there = |name: &str| (self.provided)(name) || of_original(name);
        let required = node.needs.required.iter().filter(|(name, _)| !is_api(name)).map(|it| need(it, false));
        let peers = node.needs.peers.iter().filter(|(name, _)| !is_there(name)).map(|it| need(it, false));
        let optional = node.needs.optional.iter().filter(|(name, _)| !is_api(name)).map(|it| need(it, true));
        required.chain(peers).chain(optional).collect()
    }

    /// Reads what the registry says of packages that nobody asked for yet.
    async fn ask(&self, needs: &[Need], known: &mut BTreeMap<String, Result<Packument, RegistryError>>) {
        let mut names = HashSet::new();
        for need in needs {
            if let Wanted::Release { package, .. } = wanted(need)
                && !known.contains_key(&package)
            {
                names.insert(package);
            }
        }
        let asked = stream::iter(names).map(|name| async move {
            let packument = self.registry.packument(&name).await;
            (name, packument)
        });
        known.extend(asked.buffer_unordered(AT_ONCE).collect::<Vec<_>>().await);
    }
}

/// What a range in a `package.json` asks for.
enum Wanted {
    Release {
        package: String,
        range: String,
    },
    /// From somewhere else than a registry.
    Elsewhere,
}

fn wanted(need: &Need) -> Wanted {
    let range = need.range.trim();
    if let Some(alias) = range.strip_prefix("npm:") {
        let at = alias.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
        let (package, range) = at.map_or((alias, ""), |at| (&alias[..at], &alias[at + 1..]));
        return match omp_config::packages::is_package_name(package) {
            true => Wanted::Release { package: package.to_owned(), range: range.to_owned() },
            false => Wanted::Elsewhere,
        };
    }
    match omp_config::packages::is_package_name(&need.name) && !range.contains([':', '/']) {
        true => Wanted::Release { package: need.name.clone(), range: range.to_owned() },
        false => Wanted::Elsewhere,
    }
}

/// Gives a package what it needs: something that is within its reach already, or a new one. Answers which is new.
fn place(
    need: &Need,
    known: &BTreeMap<String, Result<Packument, RegistryError>>,
    nodes: &mut Vec<Node>,
    tree: &mut DependencyTree,
) -> Result<Option<usize>, RegistryError> {
    let of = &nodes[need.of].name;
    let Wanted::Release { package, range } = wanted(need) else {
        if !need.optional {
            tree.warnings
                .push(format!("{of} needs {} from outside a registry; it was not installed", need.name));
        }
        return Ok(None);
    };
    let in_reach = in_reach(need, nodes);
    if let Some(found) = in_reach
        && fits(&nodes[found], &range, known.get(&package))
    {
        if !need.optional {
            nodes[found].optional = false;
            tree.placed[found - 1].optional = false;
        }
        return Ok(None);
    }
    let release = match known.get(&package) {
        Some(Ok(packument)) => packument.choose(&range).ok_or_else(|| RegistryError::NoVersion {
            name: package.clone(),
            wanted: range.clone(),
            newest: packument.newest(3).join(", "),
        }),
        Some(Err(error)) => Err(error.clone()),
        None => return Ok(None),
    };
    let release = match release {
        Ok(release) => release,
        Err(_) if need.optional => {
            leave_out(need, nodes);
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if let Some(system) = other_system(&release) {
        if !need.optional {
            tree.warnings
                .push(format!("{}@{} was not installed: it is for {system}", release.name, release.version));
        }
        leave_out(need, nodes);
        return Ok(None);
    }
    // Where nobody has one yet, everybody can have it; where somebody has another one, only whoever needs it does.
    let parent = if in_reach.is_some() { need.of } else { 0 };
    let path = nodes[parent].path.join("node_modules").join(&need.name);
    let index = nodes.len();
    nodes.push(Node {
        parent: Some(parent),
        path: path.clone(),
        version: Version::parse(&release.version),
        children: HashMap::new(),
        needs: release.needs.clone(),
        name: release.name.clone(),
        optional: need.optional,
        needed_by: (need.of, need.dispensable),
        left_out: false,
    });
    nodes[parent].children.insert(need.name.clone(), index);
    tree.placed.push(Placed { path, release, optional: need.optional });
    Ok(Some(index))
}

/// Without what it needs, an optional package is no use, and neither is what needs that one.
fn leave_out(need: &Need, nodes: &mut [Node]) {
    let (mut index, mut dispensable) = (need.of, need.dispensable);
    while !dispensable && nodes[index].optional {
        nodes[index].left_out = true;
        (index, dispensable) = nodes[index].needed_by;
    }
}

/// The package of that name which an import finds.
fn in_reach(need: &Need, nodes: &[Node]) -> Option<usize> {
    let mut from = Some(need.of);
    while let Some(index) = from {
        if let Some(found) = nodes[index].children.get(&need.name) {
            return Some(*found);
        }
        from = nodes[index].parent;
    }
    None
}

fn fits(node: &Node, range: &str, packument: Option<&Result<Packument, RegistryError>>) -> bool {
    let Some(version) = &node.version else { return false };
    match VersionRange::parse(range) {
        Some(range) => range.contains(version),
        // A tag.
        None => match packument {
            Some(Ok(packument)) => {
                packument.choose(range).is_some_and(|release| release.version == version.to_string())
            }
            _ => false,
        },
    }
}

/// The system that a package is for, if it is not this one.
fn other_system(release: &Release) -> Option<String> {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let cpu = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        "powerpc64" => "ppc64",
        other => other,
    };
    let libc = if Path::new("/etc/alpine-release").exists() { "musl" } else { "glibc" };
    let checks = [(&release.os, os), (&release.cpu, cpu), (&release.libc, libc)];
    let other = checks.into_iter().find(|(wanted, own)| !is_for(wanted, own))?;
    Some(other.0.join(", "))
}

fn is_for(wanted: &[String], own: &str) -> bool {
    let ruled_out = wanted.iter().any(|it| it.strip_prefix('!') == Some(own));
    let mut named = wanted.iter().filter(|it| !it.starts_with('!')).peekable();
    !ruled_out && (named.peek().is_none() || named.any(|it| it == own || it == "any"))
}
