//! What does a person see when Postern has started? One line for each thing that is on or off.

use std::fmt::Write;
use std::net::SocketAddr;

use super::screen::{Paint, outside};

/// What has started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banner {
    /// The address of the web chat.
    pub web: String,
    /// The usual address, when another program holds it.
    pub taken: Option<SocketAddr>,
    /// The lines, in the order of their names.
    pub lines: Vec<BannerLine>,
    /// Where platforms come in, and under which public address, when they do.
    pub webhooks: Option<(SocketAddr, String)>,
    /// The model, when one is configured; else the practice model answers.
    pub model: Option<String>,
    /// The data folder.
    pub data: String,
    /// The configuration file, and whether it is there.
    pub config: ConfigFile,
    /// The first owner code; none once an owner is paired.
    pub owner: Option<OwnerCode>,
    /// What the owner should know.
    pub warnings: Vec<String>,
}

/// A line as it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BannerLine {
    /// Its name.
    pub line: String,
    /// Its platform.
    pub platform: String,
}

/// The configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigFile {
    /// It is there.
    Found(String),
    /// It would be there.
    Missing(String),
}

/// The first owner code.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnerCode {
    /// The code.
    pub code: String,
    /// Links that carry it.
    pub links: Vec<String>,
}

impl std::fmt::Debug for OwnerCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OwnerCode(..)")
    }
}

impl Default for ConfigFile {
    fn default() -> Self {
        Self::Missing(String::new())
    }
}

impl Banner {
    /// The text, ending in a line break.
    pub fn render(&self, paint: Paint) -> String {
        let mut rows = vec![("web chat", format!("on   {}", self.web))];
        if let Some(taken) = self.taken {
            rows.push((
                "",
                format!("     ({taken} is taken by another program; web.listen in postern.toml chooses another)"),
            ));
        }
        if self.lines.is_empty() {
            rows.push((
                "lines",
                "off  to let a messaging app in, add [lines.NAME] to postern.toml: docs/configuration.md"
                    .to_owned(),
            ));
        }
        for line in &self.lines {
            let (name, platform) = (outside(&line.line), outside(&line.platform));
            rows.push(("line", format!("on   {name} ({platform})")));
        }
        if let Some((at, public)) = &self.webhooks {
            let public = outside(public);
            rows.push(("webhooks", format!("on   {at}, known outside as {public}")));
        }
        rows.push((
            "model",
            match &self.model {
                Some(model) => format!("on   {}", outside(model)),
                None => "off  the practice model answers: it has no mind and obeys plain sentences"
                    .to_owned(),
            },
        ));
        rows.push(("data", format!("     {}", self.data)));
        rows.push((
            "settings",
            match &self.config {
                ConfigFile::Found(path) => format!("     {path}"),
                ConfigFile::Missing(path) => {
                    format!("none needed; they would be in {path}")
                }
            },
        ));
        let mut text = format!("{}\n", paint.strong("Postern is open."));
        for (what, how) in rows {
            let _ = writeln!(text, "  {what:<9} {how}");
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "  warning   {}", outside(warning));
        }
        text.push('\n');
        match &self.owner {
            Some(owner) => {
                let code = paint.strong(&owner.code);
                let _ = if self.lines.is_empty() {
                    writeln!(
                        text,
                        "Next, become its owner. Within 10 minutes, open this link (its code is {code}):"
                    )
                } else {
                    writeln!(
                        text,
                        "Next, become its owner. Within 10 minutes, open a link, or send /pair {code} to a line:"
                    )
                };
                for link in &owner.links {
                    let _ = writeln!(text, "  {}", outside(link));
                }
            }
            None => text.push_str("To let another account in: postern pair\n"),
        }
        text.push_str("To stop: Ctrl-C\n");
        text
    }
}
