//! What of this machine does a command see? The programs of the system, the tools that builds keep
//! in the home folder, and the repository around its folder; nothing else of a person's.

use std::path::{Path, PathBuf};

/// What is shown beside the folder, for reading.
pub(super) fn shown(home: Option<&Path>, folder: &Path) -> Vec<PathBuf> {
    let mut shown: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    shown.extend(home.into_iter().flat_map(tools));
    let named = VARIABLES.iter().filter_map(std::env::var_os);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).map(|place| whole(home, place));
    for more in named.map(PathBuf::from).chain(places) {
        let is_personal = more.parent().is_none() || Some(more.as_path()) == home;
        let is_new = !shown.iter().any(|known| more.starts_with(known));
        if more.is_absolute() && !is_personal && is_new {
            shown.push(more);
        }
    }
    shown.extend(repository(home, folder));
    shown.extend(origin(folder));
    shown
}

fn tools(home: &Path) -> impl Iterator<Item = PathBuf> {
    TOOLS.iter().map(move |tools| home.join(tools))
}

/// A folder of programs, with what it was installed with where that lies beside it.
fn whole(home: Option<&Path>, place: PathBuf) -> PathBuf {
    let is_own = |parent: &Path| home.is_some_and(|home| parent == home.join(".local"));
    let with_its_own = place.parent().filter(|parent| {
        let of_programs = ["bin", "shims"].iter().any(|name| place.ends_with(name));
        of_programs && !is_own(parent) && parent.join("lib").is_dir()
    });
    with_its_own.map_or_else(|| place.clone(), Path::to_path_buf)
}

/// The outermost folder whose history a folder is a part of: its own where it is no part of another.
pub(super) fn top(home: Option<&Path>, folder: &Path) -> PathBuf {
    let tree = origin(folder).and_then(|git| Some(git.parent()?.to_path_buf()));
    let found = repository(home, folder).or(tree);
    found.unwrap_or_else(|| folder.to_path_buf())
}

/// The repository that the folder is a part of. What an agent writes is in the folder, never above.
fn repository(home: Option<&Path>, folder: &Path) -> Option<PathBuf> {
    let above = folder.ancestors().skip(1);
    let above = above.take_while(|at| at.parent().is_some() && Some(*at) != home);
    let root = above.filter(|at| at.join(".git").exists()).last();
    root.map(Path::to_path_buf)
}

/// The repository that the folder is a working tree of, if it says so itself: what stands in the
/// folder may be made up.
fn origin(folder: &Path) -> Option<PathBuf> {
    let link = folder.join(".git");
    let text = std::fs::read_to_string(&link).ok()?;
    let at = folder.join(text.strip_prefix("gitdir:")?.trim());
    let back = std::fs::read_to_string(at.join("gitdir")).ok()?;
    let is_ours = Path::new(back.trim()).canonicalize().ok()? == link.canonicalize().ok()?;
    let whole = at.parent().filter(|at| at.ends_with("worktrees"))?;
    whole.parent().filter(|_| is_ours)?.canonicalize().ok()
}

const SYSTEM: [&str; 12] = [
    "/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/sbin", "/sys",
    "/usr",
];

/// What names further tools.
const VARIABLES: [&str; 6] = [
    "CARGO_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "RUSTUP_HOME",
];

/// What builds need of the home folder.
const TOOLS: [&str; 24] = [
    ".asdf",
    ".bun",
    ".cabal",
    ".cargo",
    ".deno",
    ".dotnet",
    ".ghcup",
    ".gradle/wrapper",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2/wrapper",
    ".nvm",
    ".opam",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".stack",
    ".volta",
    ".yarn",
    "go",
];
