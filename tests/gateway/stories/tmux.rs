//! A real terminal: a tmux of its own, in which commands of the program run.

use std::path::Path;
use std::process::{Command, Stdio};

use super::chat::fresh;
use super::house::{House, soon};

/// One terminal of 110 columns and 48 lines.
pub struct Tmux {
    name: String,
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = tmux(&self.name, &["kill-server"]).status();
    }
}

fn tmux(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("tmux");
    command
        .args(["-L", name, "-f", "/dev/null"])
        .args(arguments);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

impl Tmux {
    /// Opens a terminal with a shell in it.
    pub fn open() -> Self {
        let terminal = Self {
            name: format!("postern-{}-{}", std::process::id(), fresh()),
        };
        let size = [
            "new-session",
            "-d",
            "-x",
            "110",
            "-y",
            "48",
            "env PS1='$ ' sh",
        ];
        let opened = tmux(&terminal.name, &size)
            .env("LANG", "C.UTF-8")
            .status()
            .unwrap();
        assert!(opened.success());
        terminal
    }

    /// Types a command of the program; the shell says when it has ended.
    pub fn command(&self, house: &House, at: &Path, arguments: &str) {
        self.command_with(house, at, "", arguments);
    }

    /// The same, with variables before it.
    pub fn command_with(&self, house: &House, at: &Path, variables: &str, arguments: &str) {
        let program = env!("CARGO_BIN_EXE_postern");
        let (data, config) = (house.home.data(), house.home.config());
        self.types(&format!(
            "cd {}; {variables} POSTERN_DATA={} POSTERN_CONFIG={} {program} {arguments}; echo ended-$?",
            at.display(),
            data.display(),
            config.display()
        ));
        self.key("Enter");
    }

    /// Types text.
    pub fn types(&self, text: &str) {
        assert!(
            tmux(&self.name, &["send-keys", "-l", text])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Pastes text, with marks where the program asked for them and the terminal knows them.
    pub fn pastes(&self, text: &str, marked: bool) {
        let set = tmux(&self.name, &["set-buffer", text]).status();
        assert!(set.unwrap().success());
        let how: &[&str] = if marked { &["-p"] } else { &[] };
        let pasted = tmux(&self.name, &[&["paste-buffer"], how].concat()).status();
        assert!(pasted.unwrap().success());
    }

    /// Types one line.
    pub fn line(&self, text: &str) {
        self.types(text);
        self.key("Enter");
    }

    /// Presses a key by its name.
    pub fn key(&self, key: &str) {
        assert!(
            tmux(&self.name, &["send-keys", key])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Everything that was shown, lines joined where the terminal broke them.
    pub fn shown(&self) -> String {
        self.captured(&["capture-pane", "-p", "-J", "-S", "-2000"])
    }

    /// The same with its colours, as escape sequences.
    pub fn painted(&self) -> String {
        self.captured(&["capture-pane", "-p", "-e", "-J", "-S", "-2000"])
    }

    fn captured(&self, how: &[&str]) -> String {
        let output = tmux(&self.name, how).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Makes it so wide, in columns.
    pub fn resize(&self, columns: u16) {
        let width = columns.to_string();
        let resized = tmux(&self.name, &["resize-window", "-x", &width]).status();
        assert!(resized.unwrap().success());
    }

    /// Closes it, and hangs up on whatever runs in it.
    pub fn close(&self) {
        assert!(
            tmux(&self.name, &["kill-server"])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits until this was shown, so many times.
    pub async fn sees_times(&self, text: &str, times: usize) -> String {
        let found = soon(|| {
            let shown = self.shown();
            (shown.matches(text).count() >= times).then_some(shown)
        });
        found
            .await
            .unwrap_or_else(|| panic!("{text:?} ({times}) is not shown:\n{}", self.shown()))
    }

    /// Waits until this was shown.
    pub async fn sees(&self, text: &str) -> String {
        self.sees_times(text, 1).await
    }

    /// Answers a question once it has stood there for the moment in which nothing counts.
    pub async fn answers(&self, text: &str) {
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        self.line(text);
    }
}
