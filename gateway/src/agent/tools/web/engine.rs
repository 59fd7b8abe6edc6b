//! Who searches the web for us? The engines that can be set up.

use bot_policy::secret::Secret;
use serde::Deserialize;
use url::Url;

use super::super::ToolError;
use super::client::Client;

/// How many pages a search gives.
const FOUND: usize = 10;
/// How many characters of each title and description are told.
const WORDS: usize = 300;

/// A search engine.
#[derive(Clone, Debug)]
pub enum Engine {
    /// Brave Search, by its API.
    Brave {
        /// The address of its web search.
        at: Url,
        /// The key of the owner's subscription.
        key: Secret<String>,
    },
    /// A SearXNG that answers in JSON.
    Searxng {
        /// Its own address.
        at: Url,
    },
}

/// A page that was found.
pub(super) struct Found {
    pub(super) title: String,
    pub(super) address: String,
    pub(super) about: String,
}

#[derive(Deserialize)]
struct BraveAnswer {
    web: Option<BraveWeb>,
}

#[derive(Deserialize)]
struct BraveWeb {
    #[serde(default)]
    results: Vec<BraveResult>,
}

#[derive(Deserialize)]
struct BraveResult {
    #[serde(default)]
    title: String,
    url: String,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize)]
struct SearxngAnswer {
    #[serde(default)]
    results: Vec<SearxngResult>,
}

#[derive(Deserialize)]
struct SearxngResult {
    title: Option<String>,
    url: String,
    content: Option<String>,
}

impl Engine {
    /// What of it nobody else may know.
    pub fn secrets(&self) -> Vec<Secret<String>> {
        match self {
            Self::Brave { key, .. } => vec![key.clone()],
            Self::Searxng { .. } => Vec::new(),
        }
    }

    /// Its name, as marks show it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Brave { .. } => "Brave",
            Self::Searxng { .. } => "SearXNG",
        }
    }

    /// The pages that it finds.
    pub(super) async fn search(
        &self,
        client: &Client,
        query: &str,
    ) -> Result<Vec<Found>, ToolError> {
        let unreadable = || ToolError(format!("the answer of {} cannot be read", self.name()));
        match self {
            Self::Brave { at, key } => {
                let mut at = at.clone();
                at.query_pairs_mut().append_pair("q", query);
                let header = ("X-Subscription-Token", key.reveal().clone());
                let answer = client.ask(at, Some(header)).await?;
                let answer: BraveAnswer =
                    serde_json::from_slice(&answer).map_err(|_| unreadable())?;
                let results = answer.web.map(|web| web.results).unwrap_or_default();
                let found = results
                    .into_iter()
                    .filter_map(|result| found(&result.title, &result.url, &result.description));
                Ok(found.take(FOUND).collect())
            }
            Self::Searxng { at } => {
                let mut at = at.clone();
                if let Ok(mut path) = at.path_segments_mut() {
                    path.pop_if_empty().push("search");
                }
                at.query_pairs_mut()
                    .append_pair("q", query)
                    .append_pair("format", "json");
                let answer = client.ask(at, None).await?;
                let answer: SearxngAnswer =
                    serde_json::from_slice(&answer).map_err(|_| unreadable())?;
                let found = answer.results.into_iter().filter_map(|result| {
                    found(
                        &result.title.unwrap_or_default(),
                        &result.url,
                        &result.content.unwrap_or_default(),
                    )
                });
                Ok(found.take(FOUND).collect())
            }
        }
    }
}

/// A page as it is told: one line for each of its words, and a plain address of the web.
fn found(title: &str, address: &str, about: &str) -> Option<Found> {
    let address = bot_policy::site::whole(address)?;
    Some(Found {
        title: short(title),
        address,
        about: short(about),
    })
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(WORDS).collect()
}
