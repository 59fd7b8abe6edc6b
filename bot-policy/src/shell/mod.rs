//! What would a command line do? Judged from its words alone, without running or looking anything up.
//!
//! ```text
//!   line --parse--> commands, words, redirects
//!        --walk---> every simple command, wrappers peeled off, variables of the line put in
//!        --danger, inline, immune--> findings      --read_only--> proven to read, or why not
//! ```
//!
//! A line that cannot be read with certainty, or that costs more than its budget, is dangerous.

mod arguments;
mod compound;
mod danger;
mod denylist;
mod disk;
mod escape;
mod files;
mod flow;
mod fold;
mod git;
mod heredoc;
pub mod immune;
mod inline;
mod languages;
mod names;
mod parse;
mod read_only;
mod readers;
mod redirect;
mod run;
mod script;
mod system;
mod tree;
mod variables;
mod walk;
mod word;
mod wrap;
mod wrappers;

pub use denylist::{Denylist, MalformedPattern};
pub use files::Looks;
pub use fold::{Argument, Literal};
pub use parse::{DEPTH, LINE_BYTES};

/// What a command line would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What is wrong with it, without repetitions.
    pub findings: Vec<Finding>,
    /// Whether it is proven only to read.
    pub read_only: ReadOnly,
    /// Every simple command in it, those that a wrapper would run included.
    pub commands: Vec<SimpleCommand>,
    /// The files that its redirects read or write.
    pub redirected: Vec<Argument>,
    /// Whether it names what is not in the folder that it runs in.
    pub stays: Stays,
    /// What judging it cost; at most twice [`STEPS`].
    pub steps: usize,
}

/// One thing that is wrong with a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub kind: Kind,
    /// Whether it is an entry of the list that asks every time.
    pub immune: Immune,
    /// Why, in words for a person.
    pub because: String,
}

/// Whether a finding is an entry of the safety-immune list, which asks every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Immune {
    /// It is not: it is dangerous, and denied.
    No,
    /// It is: dangerous, and asked about every time.
    Yes,
    /// It is, though not dangerous by itself.
    Only,
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Accounts of the machine.
    Account,
    /// A variable is set, then a shell is started.
    AssignedShell,
    /// A fork bomb.
    Bomb,
    /// Code given to an interpreter on the line, or that an editor or filter runs.
    Code,
    /// Keys and passwords are named.
    Credentials,
    /// Jobs that run later.
    Cron,
    /// Text is decoded and run.
    DecodedRun,
    /// Files are deleted with their folders, or many at once.
    Delete,
    /// The owner's own list.
    Denylisted,
    /// A disk is written to or formatted.
    Disk,
    /// File descriptors are bent.
    Descriptor,
    /// `eval`.
    Eval,
    /// Secrets or the environment go out.
    Exfiltration,
    /// Something is fetched and run, or put into the line.
    FetchedRun,
    /// Firewall rules are dropped.
    Firewall,
    /// Which program runs, or with which code, cannot be told.
    Hidden,
    /// Clusters, clouds, containers.
    Infrastructure,
    /// Modules and parameters of the kernel.
    Kernel,
    /// Many or protected processes are stopped.
    Kill,
    /// A variable that changes which code programs load.
    Loader,
    /// Connections to or from elsewhere.
    Network,
    /// Letters that look like others.
    Obscured,
    /// Rights and owners of files.
    Permissions,
    /// The output of a command is run.
    PipedRun,
    /// The machine is switched off.
    Power,
    /// Another user's rights.
    Privilege,
    /// Data bases lose data.
    Sql,
    /// Files of the system or of start-up.
    SystemFile,
    /// Services are stopped.
    Service,
    /// More than the judge reads.
    TooMuch,
    /// Not certain to be read the way the shell would.
    Unreadable,
    /// A file system is torn off.
    Unmount,
    /// Work in a repository or a file is lost.
    Wipe,
}

/// Whether a line is proven only to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOnly {
    /// It is not, and why.
    No(&'static str),
    /// It is.
    Proven,
}

/// Whether a line names what is not in the folder that it runs in; programs of the system aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// It does.
    Elsewhere,
    /// It does not, as far as its words tell.
    Here,
}

/// Whether the folder that the line runs in was vouched for by the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderTrust {
    /// It was, and an agent writes in it since: what stands there may choose which program a tool
    /// runs. Git is kept from that by how it is started, in the folder itself alone.
    Shared,
    /// It was.
    Trusted,
    /// It was not: programs that take configuration from it may run what it says.
    Untrusted,
}

/// One simple command: what would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program without its folder.
    pub program: String,
    /// The program as it is written.
    pub path: Argument,
    /// What it is given.
    pub arguments: Vec<Argument>,
}

impl SimpleCommand {
    /// The command as rules see it: the program without its folder, then its arguments, one blank
    /// between.
    pub fn text(&self) -> String {
        let mut text = self.program.clone();
        for argument in &self.arguments {
            text.push(' ');
            text.push_str(&argument.text);
        }
        text
    }
}

/// What a judgement may cost.
pub const STEPS: usize = 256 * 1024;

/// Judges a command line.
pub fn judge(line: &str, denylist: &Denylist, folder: FolderTrust) -> Judged {
    walk::judge(line, denylist, folder)
}

/// The simple commands of a line, for rules. Empty where the line cannot be read: [`judge`] finds
/// that dangerous.
pub fn commands(line: &str) -> Vec<SimpleCommand> {
    judge(line, &Denylist::default(), FolderTrust::Untrusted).commands
}
