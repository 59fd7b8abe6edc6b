//! What does each method do, and what does it refuse?

use serde_json::{Value, json};

use super::state::{Answered, BOT_ID, Shown, State};
use super::{hook, menus, text};

/// A refusal in the Bot API's shape.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub code: u16,
    pub description: String,
    pub parameters: Option<Value>,
}

pub fn refuse(code: u16, description: impl Into<String>) -> Refusal {
    Refusal {
        code,
        description: description.into(),
        parameters: None,
    }
}

/// Runs a method other than getUpdates.
pub fn run(state: &mut State, method: &str, body: &Value) -> Result<Value, Refusal> {
    match method {
        "getme" => Ok(json!({
            "id": BOT_ID, "is_bot": true, "first_name": "Postern", "username": state.name,
            "can_join_groups": true, "can_read_all_group_messages": false,
            "supports_inline_queries": false, "can_connect_to_business": false,
            "has_main_web_app": false,
        })),
        "getfile" => super::files::get(state, body),
        "senddocument" => super::files::send(state, body, "document"),
        "sendvoice" => super::files::send(state, body, "voice"),
        "sendmediagroup" => super::files::send_album(state, body),
        "sendphoto" => super::files::send(state, body, "photo"),
        "sendmessage" => send(state, body),
        "sendmessagedraft" => draft(state, body),
        "editmessagetext" => edit(state, body),
        "answerinlinequery" => super::inline::answer(state, body),
        "answercallbackquery" => answer(state, body),
        "sendchataction" => {
            let chat = chat(state, body)?;
            thread(state, chat, body)?;
            body["action"]
                .as_str()
                .ok_or_else(|| refuse(400, "Bad Request: wrong parameter action in request"))?;
            Ok(json!(true))
        }
        "setmycommands" => menus::set(state, body),
        "deletemycommands" => menus::delete(state, body),
        "getchat" => {
            let chat = chat(state, body)?;
            Ok(about(state, chat))
        }
        "setwebhook" => hook::set(state, body),
        "deletewebhook" => hook::delete(state, body),
        "getwebhookinfo" => Ok(hook::info(state)),
        _ => Err(refuse(404, "Not Found: method not found")),
    }
}

fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// JSON as it is, or as text in a form.
pub(super) fn structured(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

pub(super) fn chat(state: &State, body: &Value) -> Result<i64, Refusal> {
    let id =
        integer(&body["chat_id"]).ok_or_else(|| refuse(400, "Bad Request: chat_id is empty"))?;
    let Some(room) = state.rooms.get(&id) else {
        return Err(refuse(400, "Bad Request: chat not found"));
    };
    if let Some(to) = room.moved_to {
        return Err(Refusal {
            code: 400,
            description: "Bad Request: group chat was upgraded to a supergroup chat".to_owned(),
            parameters: Some(json!({"migrate_to_chat_id": to})),
        });
    }
    if room.blocked {
        return Err(match room.kind {
            "private" => refuse(403, "Forbidden: bot was blocked by the user"),
            _ => refuse(403, "Forbidden: bot was kicked from the group chat"),
        });
    }
    if !room.started {
        return Err(refuse(
            403,
            "Forbidden: bot can't initiate conversation with a user",
        ));
    }
    Ok(id)
}

fn thread(state: &State, chat: i64, body: &Value) -> Result<Option<i64>, Refusal> {
    match integer(&body["message_thread_id"]) {
        None => Ok(None),
        Some(id) if state.rooms[&chat].topics.contains(&id) => Ok(Some(id)),
        Some(_) => Err(refuse(400, "Bad Request: message thread not found")),
    }
}

fn parsed(body: &Value) -> Result<text::Parsed, Refusal> {
    let text = body["text"].as_str().unwrap_or("");
    let entities = structured(&body["entities"]);
    text::parse(text, body["parse_mode"].as_str(), entities.as_ref())
        .map_err(|why| refuse(400, why))
}

fn buttons(body: &Value) -> Result<Vec<Vec<(String, String)>>, Refusal> {
    let Some(markup) = structured(&body["reply_markup"]) else {
        return Ok(Vec::new());
    };
    let rows = markup["inline_keyboard"]
        .as_array()
        .ok_or_else(|| refuse(400, "Bad Request: object expected as reply markup"))?;
    rows.iter()
        .map(|row| {
            let row = row.as_array().ok_or_else(|| {
                refuse(
                    400,
                    "Bad Request: can't parse inline keyboard button: expected an Array",
                )
            })?;
            row.iter().map(button).collect()
        })
        .collect()
}

fn button(button: &Value) -> Result<(String, String), Refusal> {
    let label = button["text"].as_str().unwrap_or("");
    if label.is_empty() {
        return Err(refuse(
            400,
            "Bad Request: text buttons are unallowed in the inline keyboard",
        ));
    }
    let data = button["callback_data"].as_str().unwrap_or("");
    if !(1..=64).contains(&data.len()) {
        return Err(refuse(400, "Bad Request: BUTTON_DATA_INVALID"));
    }
    Ok((label.to_owned(), data.to_owned()))
}

fn no_preview(body: &Value) -> bool {
    structured(&body["link_preview_options"]).is_some_and(|options| options["is_disabled"] == true)
}

fn send(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let text = parsed(body)?;
    show(state, body, text, None)
}

/// Shows a new message of the bot, with a file where it has one.
pub(super) fn show(
    state: &mut State,
    body: &Value,
    text: text::Parsed,
    file: Option<super::files::Sent>,
) -> Result<Value, Refusal> {
    let chat = chat(state, body)?;
    let thread = thread(state, chat, body)?;
    let buttons = buttons(body)?;
    let mut reply_to = None;
    if let Some(reply) = structured(&body["reply_parameters"]) {
        let id = integer(&reply["message_id"]).unwrap_or(0);
        let room = &state.rooms[&chat];
        let known = room.said.contains_key(&id) || room.shown.iter().any(|shown| shown.id == id);
        if known {
            reply_to = Some(id);
        } else if reply["allow_sending_without_reply"] != true {
            return Err(refuse(400, "Bad Request: message to be replied not found"));
        }
    }
    state.tick();
    let shown = Shown {
        id: state.message_id(),
        text: text.text,
        entities: text.entities,
        buttons,
        before: Vec::new(),
        reply_to,
        thread,
        no_preview: no_preview(body),
        file,
    };
    let message = state.own(chat, &shown);
    state.rooms.get_mut(&chat).unwrap().shown.push(shown);
    Ok(message)
}

/// Shows nothing that lasts: the draft is gone with the next message.
fn draft(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let chat = chat(state, body)?;
    if state.rooms[&chat].kind != "private" {
        return Err(refuse(
            400,
            "Bad Request: drafts can be sent only to private chats",
        ));
    }
    if integer(&body["draft_id"]).is_none_or(|id| id == 0) {
        return Err(refuse(400, "Bad Request: DRAFT_ID_INVALID"));
    }
    parsed(body)?;
    Ok(json!(true))
}

fn edit(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let chat = chat(state, body)?;
    let id = integer(&body["message_id"]).unwrap_or(0);
    let text = parsed(body)?;
    let buttons = buttons(body)?;
    let room = state.rooms.get_mut(&chat).unwrap();
    let Some(shown) = room.shown.iter_mut().find(|shown| shown.id == id) else {
        let description = match room.said.contains_key(&id) {
            true => "Bad Request: message can't be edited",
            false => "Bad Request: message to edit not found",
        };
        return Err(refuse(400, description));
    };
    if shown.text == text.text && shown.entities == text.entities && shown.buttons == buttons {
        return Err(refuse(
            400,
            "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
        ));
    }
    let before = std::mem::replace(&mut shown.text, text.text);
    shown.before.push(before);
    shown.entities = text.entities;
    shown.buttons = buttons;
    shown.no_preview = no_preview(body);
    let shown = shown.clone();
    Ok(state.own(chat, &shown))
}

fn answer(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let query = body["callback_query_id"].as_str().unwrap_or("").to_owned();
    let text = body["text"].as_str().map(str::to_owned);
    if text.as_deref().is_some_and(|text| text::units(text) > 200) {
        return Err(refuse(400, "Bad Request: MESSAGE_TOO_LONG"));
    }
    match state.queries.get_mut(&query) {
        Some(live) if *live => *live = false,
        _ => {
            return Err(refuse(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            ));
        }
    }
    let alert = body["show_alert"] == true || body["show_alert"] == "true";
    state.answered.push(Answered { query, text, alert });
    Ok(json!(true))
}

/// What getChat says: of a forum that it is one, of others nothing.
fn about(state: &State, chat: i64) -> Value {
    let mut about = state.chat(chat);
    if state.rooms[&chat].forum {
        about["is_forum"] = json!(true);
    }
    about
}
