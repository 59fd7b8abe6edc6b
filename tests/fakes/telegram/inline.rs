//! What is offered to people who type the bot's name in other chats?

use serde_json::{Value, json};

use super::methods::{Refusal, refuse, structured};
use super::state::State;
use super::{Fake, User, text};

impl Fake {
    /// A person types the bot's name and some words in any chat. Gives the query's id.
    pub fn inline(&self, user: User, query: &str) -> String {
        let mut state = self.shared.lock();
        let id = format!(
            "{}",
            9_900_000_000_000_000_000_u64 + state.inline.len() as u64
        );
        state.inline.insert(id.clone(), None);
        let from = state.user(user);
        let body =
            json!({"id": id, "from": from, "query": query, "offset": "", "chat_type": "private"});
        state.push("inline_query", body);
        drop(state);
        self.shared.changed();
        id
    }

    /// What was offered for a query: the texts that would be sent; none while it is not answered.
    pub fn offered(&self, query: &str) -> Option<Vec<String>> {
        let state = self.shared.lock();
        let offered = state.inline.get(query)?.as_ref()?;
        let text = |result: &Value| {
            let content = &result["input_message_content"];
            content["message_text"].as_str().unwrap().to_owned()
        };
        Some(offered.iter().map(text).collect())
    }

    /// A person sends one of the things that were offered, counted from 0.
    pub fn pick(&self, user: User, query: &str, number: usize) {
        let mut state = self.shared.lock();
        let offered = state.inline[query].as_ref().expect("an answered query");
        let id = offered[number]["id"].clone();
        let from = state.user(user);
        state.push(
            "chosen_inline_result",
            json!({"result_id": id, "from": from, "query": ""}),
        );
        drop(state);
        self.shared.changed();
    }
}

pub(super) fn answer(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let id = body["inline_query_id"].as_str().unwrap_or("");
    if state.inline.get(id) != Some(&None) {
        return Err(refuse(
            400,
            "Bad Request: query is too old and response timeout expired or query ID is invalid",
        ));
    }
    let results = structured(&body["results"]).unwrap_or(Value::Null);
    let Some(results) = results.as_array() else {
        return Err(refuse(400, "Bad Request: can't parse inline query results"));
    };
    if results.len() > 50 {
        return Err(refuse(400, "Bad Request: RESULTS_TOO_MUCH"));
    }
    for result in results {
        let id = result["id"].as_str().unwrap_or("");
        if !(1..=64).contains(&id.len()) {
            return Err(refuse(400, "Bad Request: RESULT_ID_INVALID"));
        }
        if result["type"] != "article" || result["title"].as_str().unwrap_or("").is_empty() {
            return Err(refuse(400, "Bad Request: ARTICLE_TITLE_EMPTY"));
        }
        let content = &result["input_message_content"];
        let said = content["message_text"].as_str().unwrap_or("");
        text::parse(said, None, structured(&content["entities"]).as_ref())
            .map_err(|why| refuse(400, why))?;
    }
    let (id, results) = (id.to_owned(), results.clone());
    state.inline.insert(id, Some(results));
    Ok(json!(true))
}
