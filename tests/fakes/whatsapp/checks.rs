//! What does the Cloud API refuse in a message, and in which words?

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::state::{Chat, Shown, State};

/// An error of the Graph API.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: u16,
    pub code: i64,
    pub message: String,
    pub details: Option<String>,
}

pub fn refuse(status: u16, code: i64, message: impl Into<String>) -> Refusal {
    Refusal {
        status,
        code,
        message: message.into(),
        details: None,
    }
}

fn parameter(message: impl std::fmt::Display) -> Refusal {
    refuse(400, 100, format!("(#100) {message}"))
}

fn detailed(code: i64, message: &str, details: impl Into<String>) -> Refusal {
    Refusal {
        status: 400,
        code,
        message: format!("(#{code}) {message}"),
        details: Some(details.into()),
    }
}

impl Refusal {
    pub fn body(&self) -> Value {
        let mut error = json!({
            "message": self.message,
            "type": "OAuthException",
            "code": self.code,
            "fbtrace_id": "AbCdEfGhIjKlMnOpQrStUv",
        });
        if let Some(details) = &self.details {
            error["error_data"] = json!({"messaging_product": "whatsapp", "details": details});
        }
        json!({"error": error})
    }
}

/// Whom a message goes to.
pub fn recipient(state: &State, body: &Value) -> Result<Chat, Refusal> {
    if body["messaging_product"] != "whatsapp" {
        return Err(parameter("The parameter messaging_product is required."));
    }
    let kind = body["recipient_type"].as_str().unwrap_or("individual");
    // Where both are there, the number is taken.
    match (kind, body["to"].as_str(), body["recipient"].as_str()) {
        ("group", Some(to), None) if state.groups.contains(to) => Ok(Chat::Group(to.to_owned())),
        ("group", _, _) => Err(parameter("Invalid parameter")),
        ("individual", Some(to), _) if to.contains('.') => Err(parameter("Invalid parameter")),
        ("individual", Some(to), _) if state.people.contains_key(to) => {
            Ok(Chat::Direct(to.to_owned()))
        }
        ("individual", None, Some(to)) if state.people.contains_key(to) && to.contains('.') => {
            Ok(Chat::Direct(to.to_owned()))
        }
        ("individual", None, None) => Err(parameter("The parameter to is required.")),
        ("individual", _, _) => Err(detailed(
            131_026,
            "Message undeliverable",
            "Message Undeliverable.",
        )),
        _ => Err(parameter(
            "Param recipient_type must be one of {INDIVIDUAL, GROUP}",
        )),
    }
}

/// What a message would show. Nothing of it is shown when anything is refused.
pub fn shown(state: &State, chat: &Chat, body: &Value) -> Result<Shown, Refusal> {
    const KNOWN: [&str; 8] = [
        "messaging_product",
        "recipient_type",
        "to",
        "recipient",
        "type",
        "context",
        "biz_opaque_callback_data",
        "category",
    ];
    let kind = body["type"].as_str().unwrap_or("text");
    let object = body.as_object().unwrap();
    if let Some(key) = object
        .keys()
        .find(|key| !KNOWN.contains(&&***key) && *key != kind)
    {
        return Err(parameter(format!(
            "Unexpected key \"{key}\" on param \"message\"."
        )));
    }
    if body["biz_opaque_callback_data"]
        .as_str()
        .is_some_and(|data| data.len() > 512)
    {
        return Err(parameter(
            "Param biz_opaque_callback_data must be at most 512 characters long",
        ));
    }
    let content = &body[kind];
    if !content.is_object() {
        return Err(parameter(format!("The parameter {kind} is required.")));
    }
    let mut shown = Shown {
        answers: body["context"]["message_id"].as_str().map(str::to_owned),
        ..Shown::default()
    };
    match kind {
        "text" => {
            shown.text = limited(&content["body"], "text['body']", 1, 4096)?;
            shown.preview = content["preview_url"] == true;
        }
        "interactive" => interactive(chat, content, &mut shown)?,
        "audio" | "document" | "image" | "video" => media(state, kind, content, &mut shown)?,
        "template" => template(state, content, &mut shown)?,
        _ => {
            return Err(parameter(format!(
                "Param type must be one of {{AUDIO, DOCUMENT, IMAGE, INTERACTIVE, TEMPLATE, TEXT, VIDEO}} - got \"{kind}\"."
            )));
        }
    }
    Ok(shown)
}

fn limited(value: &Value, name: &str, least: usize, most: usize) -> Result<String, Refusal> {
    let text = value
        .as_str()
        .ok_or_else(|| parameter(format!("The parameter {name} is required.")))?;
    let length = text.chars().count();
    if length < least || text.trim().is_empty() {
        return Err(parameter(format!(
            "Param {name} must be at least {least} characters long."
        )));
    }
    if length > most {
        return Err(parameter(format!(
            "Param {name} must be at most {most} characters long."
        )));
    }
    Ok(text.to_owned())
}

fn interactive(chat: &Chat, content: &Value, shown: &mut Shown) -> Result<(), Refusal> {
    if matches!(chat, Chat::Group(_)) {
        return Err(detailed(
            131_051,
            "Unsupported message type",
            "Message type is not currently supported in groups.",
        ));
    }
    shown.text = limited(
        &content["body"]["text"],
        "interactive['body']['text']",
        1,
        1024,
    )?;
    let action = &content["action"];
    let mut pressed = Vec::new();
    match content["type"].as_str() {
        Some("button") => {
            let buttons = action["buttons"].as_array().cloned().unwrap_or_default();
            if !(1..=3).contains(&buttons.len()) {
                return Err(detailed(
                    131_009,
                    "Parameter value is not valid",
                    "Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3",
                ));
            }
            for button in &buttons {
                if button["type"] != "reply" {
                    return Err(parameter("Param button['type'] must be one of {REPLY}"));
                }
                let title = limited(&button["reply"]["title"], "button['title']", 1, 20)?;
                let id = limited(&button["reply"]["id"], "button['id']", 1, 256)?;
                pressed.push((title, id));
            }
        }
        Some("list") => {
            limited(&action["button"], "action['button']", 1, 20)?;
            let sections = action["sections"].as_array().cloned().unwrap_or_default();
            if !(1..=10).contains(&sections.len()) {
                return Err(parameter("Param sections must have between 1 and 10 items"));
            }
            for section in &sections {
                if sections.len() > 1 {
                    limited(&section["title"], "section['title']", 1, 24)?;
                }
                for row in section["rows"].as_array().into_iter().flatten() {
                    let title = limited(&row["title"], "row['title']", 1, 24)?;
                    let id = limited(&row["id"], "row['id']", 1, 200)?;
                    if !row["description"].is_null() {
                        limited(&row["description"], "row['description']", 1, 72)?;
                    }
                    pressed.push((title, id));
                }
            }
            if !(1..=10).contains(&pressed.len()) {
                return Err(detailed(
                    131_009,
                    "Parameter value is not valid",
                    "Total row count exceed max allowed count: 10",
                ));
            }
        }
        _ => return Err(parameter("Param interactive['type'] is not valid")),
    }
    let titles: BTreeSet<&String> = pressed.iter().map(|(title, _)| title).collect();
    let ids: BTreeSet<&String> = pressed.iter().map(|(_, id)| id).collect();
    if titles.len() < pressed.len() || ids.len() < pressed.len() {
        return Err(detailed(
            131_009,
            "Parameter value is not valid",
            "Duplicated title or id found in the buttons",
        ));
    }
    shown.buttons = pressed;
    Ok(())
}

fn media(state: &State, kind: &str, content: &Value, shown: &mut Shown) -> Result<(), Refusal> {
    let id = content["id"].as_str().unwrap_or("");
    let Some(held) = state.media.get(id) else {
        return Err(refuse(
            400,
            100,
            format!(
                "Unsupported post request. Object with ID '{id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation"
            ),
        ));
    };
    let family = held.kind.split('/').next().unwrap_or("");
    if kind != "document" && family != kind {
        return Err(detailed(
            131_053,
            "Media upload error",
            format!("{kind} with mime type {} is not supported", held.kind),
        ));
    }
    if !content["caption"].is_null() {
        if kind == "audio" {
            return Err(parameter("Unexpected key \"caption\" on param \"audio\"."));
        }
        shown.text = limited(&content["caption"], "caption", 1, 1024)?;
    }
    let name = content["filename"].as_str().unwrap_or(&held.name);
    shown.file = Some((kind.to_owned(), name.to_owned(), held.bytes.clone()));
    Ok(())
}

fn template(state: &State, content: &Value, shown: &mut Shown) -> Result<(), Refusal> {
    let name = limited(&content["name"], "template['name']", 1, 512)?;
    let language = limited(
        &content["language"]["code"],
        "template['language']['code']",
        1,
        16,
    )?;
    if !state.templates.contains(&(name.clone(), language.clone())) {
        return Err(detailed(
            132_001,
            "Template name does not exist in the translation",
            format!("template name ({name}) does not exist in {language}"),
        ));
    }
    shown.template = Some(name);
    Ok(())
}

/// What may be handed in (Cloud API, supported media types), with the largest of each.
pub fn accepted(kind: &str, size: usize) -> Result<(), Refusal> {
    const DOCUMENTS: [&str; 8] = [
        "text/plain",
        "application/pdf",
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ];
    let most = match kind {
        "image/jpeg" | "image/png" => 5 << 20,
        "audio/aac" | "audio/amr" | "audio/mpeg" | "audio/mp4" | "audio/ogg" | "video/mp4"
        | "video/3gpp" => 16 << 20,
        kind if DOCUMENTS.contains(&kind) => 100 << 20,
        _ => {
            return Err(parameter(format!(
                "Param file must be a file with one of the following types: audio/aac, audio/mp4, audio/mpeg, audio/amr, audio/ogg, application/pdf, text/plain, image/jpeg, image/png, video/mp4, video/3gpp. Received file of type '{kind}'."
            )));
        }
    };
    if size > most {
        return Err(detailed(
            131_053,
            "Media upload error",
            "Media file size too big",
        ));
    }
    Ok(())
}
