//! What does each call do, and what does it refuse?

use axum::http::Method;
use serde_json::{Value, json};

use super::seen::{APPLICATION, Channel, GUILD};
use super::server::Asked;
use super::state::State;
use super::{interactions, messages};

/// A refusal in the platform's shape.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub status: u16,
    pub body: Value,
    pub headers: Vec<(&'static str, String)>,
}

/// An answer; a null body is none.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub body: Value,
    pub headers: Vec<(&'static str, String)>,
}

impl From<Value> for Answer {
    fn from(body: Value) -> Self {
        Self {
            body,
            headers: Vec::new(),
        }
    }
}

pub(super) fn refuse(status: u16, code: u64, message: &str) -> Refusal {
    Refusal {
        status,
        body: json!({"message": message, "code": code}),
        headers: Vec::new(),
    }
}

/// A body that a field of which is wrong.
pub(super) fn invalid(field: &str, code: &str, message: &str) -> Refusal {
    let mut refusal = refuse(400, 50035, "Invalid Form Body");
    refusal.body["errors"] = json!({field: {"_errors": [{"code": code, "message": message}]}});
    refusal
}

/// Runs a call.
pub(super) fn run(state: &mut State, asked: Asked) -> Result<Answer, Refusal> {
    let path = asked.path.clone();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let get = asked.method == Method::GET;
    let post = asked.method == Method::POST;
    match parts.as_slice() {
        ["users", "@me"] if get => Ok(state.bot().into()),
        ["users", "@me", "guilds"] if get => Ok(match state.in_guild {
            true => json!([{"id": GUILD.to_string(), "name": "Server", "owner": false}]),
            false => json!([]),
        }
        .into()),
        ["applications", "@me"] if get => Ok(state.application().into()),
        ["oauth2", "applications", "@me"] if get => Ok(state.application().into()),
        ["gateway"] if get => Ok(json!({"url": format!("ws://{}", state.host)}).into()),
        ["gateway", "bot"] if get => Ok(json!({
            "url": format!("ws://{}", state.host), "shards": 1,
            "session_start_limit": {
                "total": 1000, "remaining": 1000, "reset_after": 14_400_000, "max_concurrency": 1,
            },
        })
        .into()),
        ["applications", id, "commands"] => {
            if *id != APPLICATION.to_string() {
                return Err(refuse(
                    403,
                    20012,
                    "You are not authorized to perform this action on this application",
                ));
            }
            match asked.method {
                Method::GET => Ok(state.commands.clone().into()),
                Method::PUT => register(state, &asked.body).map(Answer::from),
                _ => Err(refuse(405, 0, "405: Method Not Allowed")),
            }
        }
        ["channels", id] if get => {
            let channel = channel(state, id)?;
            Ok(state.room(channel).about.clone().into())
        }
        ["channels", id, "typing"] if post => {
            channel(state, id)?;
            Ok(Value::Null.into())
        }
        ["channels", id, "messages"] => {
            let channel = channel(state, id)?;
            match asked.method {
                Method::GET => messages::list(state, channel, &asked.query).map(Answer::from),
                Method::POST => messages::send(state, channel, asked),
                _ => Err(refuse(405, 0, "405: Method Not Allowed")),
            }
        }
        ["channels", id, "messages", message] => {
            let channel = channel(state, id)?;
            let message = message.parse().unwrap_or(0);
            match asked.method {
                Method::GET => match state.find(channel, message) {
                    Some(message) => Ok(message.into()),
                    None => Err(refuse(404, 10008, "Unknown Message")),
                },
                Method::PATCH => messages::edit(state, channel, message, &asked.body),
                _ => Err(refuse(405, 0, "405: Method Not Allowed")),
            }
        }
        ["interactions", id, token, "callback"] if post => {
            interactions::first(state, id, token, &asked.body).map(Answer::from)
        }
        ["webhooks", application, token] if post => {
            interactions::follow(state, application, token, &asked.body).map(Answer::from)
        }
        _ => Err(refuse(404, 0, "404: Not Found")),
    }
}

fn channel(state: &State, id: &str) -> Result<Channel, Refusal> {
    let Ok(id) = id.parse() else {
        return Err(invalid(
            "channel_id",
            "NUMBER_TYPE_COERCE",
            &format!("Value \"{id}\" is not snowflake."),
        ));
    };
    match state.rooms.get(&id) {
        None => Err(refuse(404, 10003, "Unknown Channel")),
        Some(room) if room.shut && room.about["type"] == 1 => {
            Err(refuse(403, 50007, "Cannot send messages to this user"))
        }
        Some(room) if room.shut => Err(refuse(403, 50001, "Missing Access")),
        Some(_) => Ok(Channel(id)),
    }
}

fn register(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let Some(commands) = body.as_array() else {
        return Err(refuse(400, 50035, "Invalid Form Body"));
    };
    let mut names = Vec::new();
    for command in commands {
        let name = command["name"].as_str().unwrap_or("");
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        if !(1..=32).contains(&name.len()) || !name.chars().all(fits) {
            return Err(invalid(
                "name",
                "APPLICATION_COMMAND_INVALID_NAME",
                "Command name is invalid",
            ));
        }
        if names.contains(&name) {
            return Err(invalid(
                "name",
                "APPLICATION_COMMANDS_DUPLICATE_NAME",
                "Application command names must be unique",
            ));
        }
        names.push(name);
        options(&command["options"])?;
        let about = command["description"]
            .as_str()
            .unwrap_or("")
            .chars()
            .count();
        if !(1..=100).contains(&about) {
            return Err(invalid(
                "description",
                "BASE_TYPE_BAD_LENGTH",
                "Must be between 1 and 100 in length.",
            ));
        }
    }
    if commands.len() > 100 {
        return Err(refuse(
            400,
            30032,
            "Maximum number of application commands reached (100).",
        ));
    }
    let mut known = commands.clone();
    for (at, command) in known.iter_mut().enumerate() {
        command["id"] = json!((3000 + at).to_string());
        command["application_id"] = json!(APPLICATION.to_string());
        command["version"] = json!("1");
        command["default_member_permissions"] = Value::Null;
    }
    state.commands = json!(known);
    Ok(state.commands.clone())
}

/// What may follow a command: texts, with a few to choose from.
fn options(options: &Value) -> Result<(), Refusal> {
    for option in options.as_array().into_iter().flatten() {
        let length = |key: &str| option[key].as_str().unwrap_or("").chars().count();
        let choices = option["choices"].as_array().map_or(&[][..], Vec::as_slice);
        let named = |choice: &Value| {
            let length = choice["name"].as_str().unwrap_or("").chars().count();
            (1..=100).contains(&length) && choice["value"].is_string()
        };
        let fits = option["type"] == 3
            && (1..=32).contains(&length("name"))
            && (1..=100).contains(&length("description"))
            && choices.len() <= 25
            && choices.iter().all(named);
        if !fits {
            return Err(invalid(
                "options",
                "APPLICATION_COMMAND_OPTIONS_INVALID",
                "Options are invalid",
            ));
        }
    }
    Ok(())
}
