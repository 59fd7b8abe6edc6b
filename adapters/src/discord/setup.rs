//! Who are we there, what may we hear, and what is not set up yet?

use std::collections::BTreeSet;
use std::sync::PoisonError;

use bot_policy::access::{Follows, follows};
use reqwest::Method;
use serde_json::{Value, json};
use serenity::builder::{CreateCommand, CreateCommandOption};
use serenity::model::application::{CommandOptionType, InstallationContext, InteractionContext};
use serenity::model::gateway::GatewayIntents;

use super::Discord;
use super::channels::snowflake;
use super::decode::Me;
use crate::http::Repeat;
use crate::{AdapterError, Menus};

/// Asks who we are; our numbers and our name.
pub(super) async fn who_we_are(line: &Discord) -> Result<(Me, String), AdapterError> {
    let user = line.get("/users/@me").await?;
    let application = line.get("/applications/@me").await?;
    let text = |key: &str| user.get(key).and_then(Value::as_str);
    let ids = (snowflake(user.get("id")), snowflake(application.get("id")));
    let ((Some(id), Some(application)), Some(name)) = (ids, text("username")) else {
        return Err(AdapterError::Refused(
            "it does not say who we are".to_owned(),
        ));
    };
    let me = Me {
        user: id.to_owned(),
        application: application.to_owned(),
    };
    *line.me.write().unwrap_or_else(PoisonError::into_inner) = Some(me.clone());
    // Before names were unique, a number told bots of one name apart.
    let name = match text("discriminator") {
        Some(number) if number != "0" => format!("@{name}#{number}"),
        Some(_) | None => format!("@{name}"),
    };
    Ok((me, name))
}

/// What we ask to hear: all that was said, as far as the application is allowed to.
pub(super) fn intents(application: &Value) -> Result<GatewayIntents, AdapterError> {
    let usual =
        GatewayIntents::GUILDS | GatewayIntents::GUILD_MESSAGES | GatewayIntents::DIRECT_MESSAGES;
    Ok(if may_read(application) {
        usual | GatewayIntents::MESSAGE_CONTENT
    } else {
        usual
    })
}

/// What is not set up at the platform, each with what to switch on where.
pub(super) async fn lacks(line: &Discord) -> Result<Vec<String>, AdapterError> {
    let application = line.get("/applications/@me").await?;
    let mut lacks = Vec::new();
    if !may_read(&application) {
        lacks.push("Message Content Intent is off: in servers it hears only what mentions it, answers it or commands it; to change that, switch it on at discord.com/developers (Bot, Privileged Gateway Intents) and restart Postern".to_owned());
    }
    let guilds = line.get("/users/@me/guilds?limit=1").await?;
    if guilds.as_array().is_some_and(Vec::is_empty) {
        let id = snowflake(application.get("id")).unwrap_or("0");
        lacks.push(format!(
            "the bot is in no server, and who shares none with it cannot write to it; invite it: https://discord.com/oauth2/authorize?client_id={id}&scope=bot+applications.commands&permissions={PERMISSIONS}"
        ));
    }
    let there = application
        .get("interactions_endpoint_url")
        .and_then(Value::as_str);
    match (&line.hook, there) {
        (None, Some(_)) => lacks.push("presses and slash commands go to an Interactions Endpoint URL and not here; clear it at discord.com/developers (General Information), or set interactions to \"webhook\"".to_owned()),
        (Some(hook), there) if there != Some(hook.url.as_str()) => lacks.push(format!(
            "presses and slash commands do not come to our door; set Interactions Endpoint URL at discord.com/developers (General Information) to {}",
            hook.url
        )),
        (Some(_), _) | (None, None) => {}
    }
    Ok(lacks)
}

/// Registers our commands, unless they are registered as they are.
pub(super) async fn announce(line: &Discord, menus: &Menus) -> Result<(), AdapterError> {
    let path = format!("/applications/{}/commands", line.us().await?.application);
    let wanted = menus.all.iter().map(|(name, about)| {
        let in_groups = menus.groups.iter().any(|(known, _)| known == name);
        command(name, about, in_groups)
    });
    let wanted: Vec<Value> = wanted.map(|command| json!(command)).collect();
    let known = line.get(&path).await?;
    let shapes = |commands: &[Value]| commands.iter().map(shape).collect::<BTreeSet<_>>();
    let known = known.as_array().map(|known| shapes(known));
    if known.is_some_and(|known| known == shapes(&wanted)) {
        return Ok(());
    }
    let body = Value::Array(wanted);
    let call = line
        .api
        .call(Method::PUT, &path, Some(&body), Repeat::Harmless);
    call.await.map(drop)
}

/// One command, in direct chats with the bot and, where it means something there, in servers.
fn command(name: &str, about: &str, in_groups: bool) -> CreateCommand {
    let cut = |text: &str| text.chars().take(LONGEST_ABOUT).collect::<String>();
    let mut contexts = vec![InteractionContext::BotDm];
    if in_groups {
        contexts.insert(0, InteractionContext::Guild);
    }
    let command = CreateCommand::new(name)
        .description(cut(about))
        .integration_types(vec![InstallationContext::Guild])
        .contexts(contexts);
    let option = |name, about: &str| {
        CreateCommandOption::new(CommandOptionType::String, name, cut(about)).required(false)
    };
    match follows(name) {
        Follows::Nothing => command,
        Follows::OneOf(words) => {
            let one = option("choice", "which");
            command.add_option(
                words
                    .iter()
                    .fold(one, |one, word| one.add_string_choice(*word, *word)),
            )
        }
        Follows::Words(about) => command.add_option(option("text", about)),
    }
}

/// What of a command people see. The platform gives it back with keys of its own.
fn shape(command: &Value) -> (String, String, Vec<u64>, Vec<String>) {
    let text = |value: &Value, key: &str| {
        let text = value.get(key).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let list = |value: &Value, key: &str| {
        let list = value.get(key).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let mut contexts: Vec<u64> = list(command, "contexts")
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    contexts.sort_unstable();
    let mut options = Vec::new();
    for option in list(command, "options") {
        options.push(text(&option, "name"));
        options.push(text(&option, "description"));
        let choices = list(&option, "choices");
        options.extend(choices.iter().map(|choice| text(choice, "value")));
    }
    let (name, about) = (text(command, "name"), text(command, "description"));
    (name, about, contexts, options)
}

/// Whether the application may read messages in servers that do not mention it (application flags
/// GATEWAY_MESSAGE_CONTENT and GATEWAY_MESSAGE_CONTENT_LIMITED).
fn may_read(application: &Value) -> bool {
    let flags = application
        .get("flags")
        .and_then(Value::as_u64)
        .unwrap_or(0);
    flags & (1 << 18 | 1 << 19) != 0
}

/// View Channels, Send Messages, Send Messages in Threads, Attach Files, Read Message History.
const PERMISSIONS: u64 = 1 << 10 | 1 << 11 | 1 << 38 | 1 << 15 | 1 << 16;
/// Longest description of a command and of what follows it, in characters (platform reference,
/// "Application Command Object").
const LONGEST_ABOUT: usize = 100;
