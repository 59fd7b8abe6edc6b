//! Who are we there, what may we hear, and what is not set up yet?

use std::sync::PoisonError;

use reqwest::Method;
use serde_json::{Value, json};
use serenity::builder::{CreateCommand, CreateCommandOption};
use serenity::model::application::{CommandOptionType, InstallationContext, InteractionContext};
use serenity::model::gateway::GatewayIntents;

use super::Discord;
use super::channels::snowflake;
use super::decode::Me;
use crate::AdapterError;
use crate::http::Repeat;

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
pub(super) async fn announce(
    line: &Discord,
    commands: &[(&str, &str)],
) -> Result<(), AdapterError> {
    let path = format!("/applications/{}/commands", line.us().await?.application);
    let pair = (
        "pair",
        "pair this chat with you, with the code that Postern shows",
    );
    let wanted: Vec<(&str, &str)> = commands
        .iter()
        .copied()
        .filter(|(name, _)| *name != pair.0)
        .chain([pair])
        .collect();
    let known = line.get(&path).await?;
    let same = known.as_array().is_some_and(|known| {
        known.len() == wanted.len()
            && known.iter().all(|command| {
                let text = |key: &str| command.get(key).and_then(Value::as_str).unwrap_or("");
                wanted.contains(&(text("name"), text("description")))
            })
    });
    if same {
        return Ok(());
    }
    let body: Vec<CreateCommand> = wanted
        .iter()
        .map(|(name, about)| command(name, about))
        .collect();
    let body = json!(body);
    let call = line
        .api
        .call(Method::PUT, &path, Some(&body), Repeat::Harmless);
    call.await.map(drop)
}

fn command(name: &str, about: &str) -> CreateCommand {
    let about: String = about.chars().take(100).collect();
    let text = CreateCommandOption::new(CommandOptionType::String, "text", "what follows it");
    CreateCommand::new(name)
        .description(about)
        .integration_types(vec![InstallationContext::Guild])
        .contexts(vec![InteractionContext::Guild, InteractionContext::BotDm])
        .add_option(text.required(false))
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
