//! What does the web say? Pages by their address, and searches; whatever comes back is outside.

use std::collections::BTreeMap;

use async_trait::async_trait;
use bot_policy::call::Call;
use bot_policy::decide::Permit;
use bot_policy::id::ToolName;
use bot_policy::metadata::Metadata;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};

use super::{Deed, Tool, ToolError, Whose};

mod client;
mod engine;
mod page;

pub use engine::Engine;

use client::Client;

/// How long one call may take in all, in seconds.
const SECONDS: u32 = 15;
/// How much of a page the model is told, in bytes.
const TOLD: usize = 48 * 1024;
/// The longest search, in bytes.
const QUERY: usize = 400;

/// The tool `web`.
pub struct Web {
    client: Client,
    engine: Option<Engine>,
}

impl Web {
    /// The web, with `private` hosts (as `name:port`) that may be reached although they are not
    /// on the open net, and an engine where one is set up.
    ///
    /// # Errors
    /// When no client can be set up on this machine.
    pub fn new(private: Vec<String>, engine: Option<Engine>) -> Result<Self, ToolError> {
        Ok(Self {
            client: Client::new(private)?,
            engine,
        })
    }

    async fn fetch(&self, address: &str) -> Result<Deed, ToolError> {
        let got = self.client.get(address).await?;
        let at = got.at.to_string();
        let said = page::text(got).await?;
        let value = shortened(said);
        let outcome = format!("read {at} ({} bytes)", value.len());
        let taint = Taint::outside(at);
        Ok(Deed {
            told: Labelled { value, taint },
            outcome,
            shown: String::new(),
        })
    }

    async fn search(&self, query: &str) -> Result<Deed, ToolError> {
        let engine = self
            .engine
            .as_ref()
            .ok_or_else(|| ToolError("no search engine is set up".into()))?;
        if query.trim().is_empty() || query.len() > QUERY {
            return Err(ToolError(format!("a search holds 1 to {QUERY} bytes")));
        }
        let found = engine.search(&self.client, query).await?;
        let lines: Vec<String> = found
            .iter()
            .map(|found| format!("- {}\n  {}\n  {}", found.title, found.address, found.about))
            .collect();
        let value = match lines.is_empty() {
            true => "nothing was found".to_owned(),
            false => shortened(lines.join("\n")),
        };
        Ok(Deed {
            told: Labelled {
                value,
                taint: Taint::outside(format!("a search at {}", engine.name())),
            },
            outcome: format!("found {} pages", found.len()),
            shown: String::new(),
        })
    }
}

#[async_trait]
impl Tool for Web {
    fn spec(&self) -> ToolSpec {
        let mut spec = spec();
        if self.engine.is_none() {
            spec.commands.retain(|command| command.name != "search");
        }
        spec
    }

    async fn ground(&self, _: &Call, _: &Whose) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    async fn run(&self, permit: Permit, _: &Whose) -> Result<Deed, ToolError> {
        let call = permit.redeem();
        let argument = |name: &str| {
            call.text(name)
                .ok_or_else(|| ToolError(format!("{name} is missing")))
        };
        match call.command.as_str() {
            "fetch" => self.fetch(argument("address")?).await,
            "search" => self.search(argument("query")?).await,
            other => Err(ToolError(format!("web cannot {other}"))),
        }
    }
}

/// What it can be told to do.
pub(crate) fn spec() -> ToolSpec {
    let command = |name: &str, description: &str, parameter: Parameter| CommandSpec {
        name: name.into(),
        description: description.into(),
        parameters: vec![parameter],
        change: Change::Nothing,
        reach: Reach::Net(String::new()),
        reads: Reads::Outside,
        permission: format!("web.{name}"),
        resource: None,
        always_ask: AlwaysAsk::No,
        metadata: Metadata {
            timeout_seconds: Some(SECONDS),
            ..Metadata::default()
        },
    };
    let parameter = |name: &str, description: &str, role| Parameter {
        name: name.into(),
        description: description.into(),
        role,
        needed: Needed::Yes,
    };
    ToolSpec {
        name: ToolName::new("web"),
        origin: Origin::BuiltIn,
        description: "reads pages of the web and searches it".into(),
        commands: vec![
            command(
                "fetch",
                "reads the page or PDF at an address",
                parameter(
                    "address",
                    "the whole address, with https://",
                    ParameterRole::Destination,
                ),
            ),
            command(
                "search",
                "searches the web and gives titles and addresses",
                parameter("query", "what to search for", ParameterRole::Body),
            ),
        ],
    }
}

/// The text as far as it is told, with a note where that is not all.
fn shortened(mut text: String) -> String {
    let whole = text.len();
    if whole > TOLD {
        text.truncate(text.floor_char_boundary(TOLD));
        text.push_str(&format!("\n… ({} bytes more)", whole - text.len()));
    }
    text
}
