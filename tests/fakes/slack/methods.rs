//! What does each method do, and what does it refuse?

use serde_json::{Value, json};

use super::state::{BOT, BOT_USER, Home, Shown, State, TEAM, Told};
use super::{blocks, files, streams};

/// The longest text that is not cut, in characters (chat.postMessage, "Truncating content").
const LONGEST: usize = 40_000;

/// Runs a method. The error is Slack's word for it.
pub fn run(
    state: &mut State,
    method: &str,
    token: Option<&str>,
    body: &Value,
) -> Result<Value, String> {
    let token = token.ok_or("not_authed")?;
    let wanted = if method == "apps.connections.open" {
        &state.app_token
    } else {
        &state.bot_token
    };
    if token != wanted {
        let other = [&state.app_token, &state.bot_token]
            .iter()
            .any(|known| *known == token);
        return Err(if other {
            "not_allowed_token_type"
        } else {
            "invalid_auth"
        }
        .to_owned());
    }
    let scope = match method {
        "chat.postMessage" | "chat.update" | "chat.postEphemeral" | "chat.delete"
        | "chat.startStream" | "chat.appendStream" | "chat.stopStream" => "chat:write",
        "assistant.threads.setStatus" => "assistant:write",
        "conversations.open" => "im:write",
        "files.getUploadURLExternal" | "files.completeUploadExternal" => "files:write",
        "files.info" => "files:read",
        _ => "",
    };
    if !scope.is_empty() && !state.scopes.iter().any(|known| known == scope) {
        return Err(format!("missing_scope {scope}"));
    }
    match method {
        "apps.connections.open" => {
            let ticket = state.next("ticket");
            state.tickets.insert(ticket.clone());
            Ok(json!({"url": format!("ws://{}/link/?ticket={ticket}&app_id=gone", state.address)}))
        }
        "assistant.threads.setStatus" => {
            let channel = channel(state, &body["channel_id"])?;
            let thread = word(body, "thread_ts").ok_or("invalid_thread_ts")?;
            if !channel.starts_with('D') {
                return Err("method_not_supported_for_channel_type".to_owned());
            }
            let status = word(body, "status").unwrap_or_default();
            state.statuses.insert((channel, thread), status);
            Ok(json!({}))
        }
        "auth.test" => Ok(json!({
            "url": "https://acme.slack.com/", "team": "Acme", "user": "postern",
            "team_id": TEAM, "user_id": BOT_USER, "bot_id": BOT, "is_enterprise_install": false,
        })),
        "chat.appendStream" => streams::append(state, body),
        "chat.delete" => {
            let channel = channel(state, &body["channel"])?;
            let ts = word(body, "ts").unwrap_or_default();
            let all = state.messages.entry(channel).or_default();
            let before = all.len();
            all.retain(|shown| shown.ts != ts);
            if all.len() == before {
                return Err("message_not_found".to_owned());
            }
            Ok(json!({"ts": ts}))
        }
        "chat.postEphemeral" => {
            let channel = channel(state, &body["channel"])?;
            check_text(body)?;
            let user = word(body, "user").ok_or("user_not_in_channel")?;
            if !state.people.contains_key(&user) {
                return Err("user_not_in_channel".to_owned());
            }
            state.told.push(Told {
                channel,
                user,
                thread: word(body, "thread_ts"),
                text: blocks::unescaped(body["text"].as_str().unwrap_or("")),
            });
            Ok(json!({"message_ts": state.tick()}))
        }
        "chat.postMessage" => {
            let channel = channel(state, &body["channel"])?;
            check_text(body)?;
            check_quiet(body)?;
            thread(state, &channel, body)?;
            let shown = state.post(&channel, body);
            Ok(json!({"channel": channel, "ts": shown.ts, "message": object(&shown)}))
        }
        "chat.startStream" => streams::start(state, body),
        "chat.stopStream" => streams::stop(state, body),
        "chat.update" => {
            let channel = channel(state, &body["channel"])?;
            check_text(body)?;
            let ts = word(body, "ts").unwrap_or_default();
            let shown = state.message(&channel, &ts).ok_or("message_not_found")?;
            if shown.streaming {
                return Err("streaming_state_conflict".to_owned());
            }
            shown.before.push(shown.text.clone());
            shown.show(body);
            let message = object(shown);
            Ok(json!({"channel": channel, "ts": ts, "text": body["text"], "message": message}))
        }
        "conversations.history" | "conversations.replies" => {
            let channel = channel(state, &body["channel"])?;
            let thread = (method == "conversations.replies")
                .then(|| word(body, "ts"))
                .flatten();
            let ours = state.shown_in(&channel).into_iter();
            let ours =
                ours.filter(|shown| shown.thread == thread || Some(&shown.ts) == thread.as_ref());
            let mut messages: Vec<Value> = ours.map(|shown| object(&shown)).collect();
            let theirs = state.said.iter().filter(|((at, _), _)| *at == channel);
            let theirs = theirs.map(|(_, said)| said);
            messages.extend(
                theirs
                    .filter(|said| said["thread_ts"].as_str() == thread.as_deref())
                    .cloned(),
            );
            messages.sort_by_key(|message| message["ts"].as_str().unwrap_or("").to_owned());
            if thread.is_none() {
                messages.reverse();
            }
            let limit = word(body, "limit")
                .and_then(|limit| limit.parse().ok())
                .unwrap_or(100);
            messages.truncate(limit);
            Ok(json!({"messages": messages, "has_more": false}))
        }
        "conversations.open" => {
            let user = word(body, "users").ok_or("user_not_found")?;
            if !state.people.contains_key(&user) {
                return Err("user_not_found".to_owned());
            }
            Ok(json!({"channel": {"id": format!("D{}", &user[1..])}}))
        }
        "files.completeUploadExternal" => files::complete(state, body),
        "files.getUploadURLExternal" => files::begin(state, body),
        "files.info" => {
            let id = word(body, "file").unwrap_or_default();
            let kept = state.files.get(&id).ok_or("file_not_found")?;
            Ok(json!({"file": state.file_object(&id, kept)}))
        }
        "views.publish" => {
            let user = word(body, "user_id").ok_or("user_not_found")?;
            if !state.people.contains_key(&user) {
                return Err("user_not_found".to_owned());
            }
            let view = &body["view"];
            let known = [
                "blocks",
                "callback_id",
                "external_id",
                "private_metadata",
                "type",
            ];
            let keys = view.as_object().ok_or("invalid_arguments")?.keys();
            let strange = keys.into_iter().any(|key| !known.contains(&key.as_str()));
            if strange || view["type"] != "home" || !view["blocks"].is_array() {
                return Err("invalid_arguments".to_owned());
            }
            if let Some(fault) = blocks::fault(&view["blocks"]) {
                return Err(fault);
            }
            let text = blocks::text(view["blocks"].as_array().map_or(&[][..], Vec::as_slice));
            state.homes.insert(user, Home { text });
            Ok(json!({"view": view}))
        }
        _ => Err("unknown_method".to_owned()),
    }
}

/// The text under a key.
pub fn word(body: &Value, key: &str) -> Option<String> {
    body[key].as_str().map(str::to_owned)
}

/// A chat that the app is in.
pub fn channel(state: &State, id: &Value) -> Result<String, String> {
    let id = id.as_str().ok_or("channel_not_found")?;
    if state.channels.contains(id) {
        return Ok(id.to_owned());
    }
    let word = if id.starts_with('C') {
        "not_in_channel"
    } else {
        "channel_not_found"
    };
    Err(word.to_owned())
}

/// The thread that a call names, if there is a message that it hangs on.
pub fn thread(state: &State, channel: &str, body: &Value) -> Result<(), String> {
    let Some(thread) = body["thread_ts"].as_str() else {
        return Ok(());
    };
    let said = state
        .said
        .contains_key(&(channel.to_owned(), thread.to_owned()));
    let posted = state
        .shown_in(channel)
        .iter()
        .any(|shown| shown.ts == thread);
    if said || posted {
        Ok(())
    } else {
        Err("thread_not_found".to_owned())
    }
}

/// A text that Slack would cut, or blocks that it would not show, and whatever would ping.
fn check_text(body: &Value) -> Result<(), String> {
    let text = body["text"].as_str().unwrap_or("");
    if let Some(fault) = blocks::fault(&body["blocks"]) {
        return Err(fault);
    }
    if text.is_empty() && body["blocks"].as_array().is_none_or(Vec::is_empty) {
        return Err("no_text".to_owned());
    }
    // Slack cuts the rest off and posts; to us that is a loss like any other.
    if text.chars().count() > LONGEST {
        return Err("msg_too_long".to_owned());
    }
    assert!(!blocks::pings(text), "it would ping: {text}");
    Ok(())
}

/// Previews are off at every post.
fn check_quiet(body: &Value) -> Result<(), String> {
    let off = |key: &str| body[key] == false;
    assert!(
        off("unfurl_links") && off("unfurl_media"),
        "previews are on: {body}"
    );
    Ok(())
}

/// A message of the app as Slack gives it back.
pub fn object(shown: &Shown) -> Value {
    let mut message = json!({
        "type": "message", "user": BOT_USER, "bot_id": BOT, "app_id": super::state::APP,
        "ts": shown.ts, "text": shown.fallback, "blocks": shown.blocks, "team": TEAM,
    });
    if let Some(thread) = &shown.thread {
        message["thread_ts"] = json!(thread);
    }
    if !shown.metadata.is_null() {
        message["metadata"] = shown.metadata.clone();
    }
    if !shown.files.is_empty() {
        let names = shown.files.iter().map(|file| json!({"name": file.name}));
        message["files"] = names.collect();
    }
    message
}
