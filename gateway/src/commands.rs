//! What is answered to a command that changes nothing, and what follows a press?

use std::sync::Arc;
use std::time::Duration;

use bot_policy::access::{Admission, Command, Person, Scope, commands, commands_at_terminal};
use bot_policy::event::{EventKind, Sender};
use bot_policy::id::Place;
use bot_policy::rules::{Rule, Rules};

use crate::conversation::notice;
use crate::keep::caught;
use crate::store::{Attempt, Blame, Pending, StoreError};
use crate::why::why;
use crate::writer::WriteError;
use crate::{House, clock, gate, home, offers};

/// The shortest and longest pause while the machine is in trouble.
const MACHINE_PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Carries out a stored press, claim or command, and records that it is done. What fails is tried
/// again: as long as the machine is in trouble, and three times otherwise; each time it is judged
/// as things stand then.
pub(crate) async fn carry_out(house: Arc<House>, pending: Pending) {
    let seq = pending.seq;
    let mut next = Some(pending);
    let mut pause = MACHINE_PAUSE.0;
    while let Some(pending) = next {
        let failed = match caught(carry(&house, pending)).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error,
            Err(crash) => {
                house.crashes.note("a press or command", &crash);
                WriteError::Crashed(crash.at).into()
            }
        };
        match failed.blame() {
            Blame::Machine => {
                tracing::error!(error = %failed, seq, "an event could not be carried out yet");
                house.store_trouble(&failed);
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2).min(MACHINE_PAUSE.1);
            }
            Blame::Work => match house.store.attempted(seq, failed, clock::now()).await {
                Ok(Attempt::Again(due)) => {
                    let wait = u64::try_from(due.0 - clock::now().0).unwrap_or(0);
                    tokio::time::sleep(Duration::from_millis(wait)).await;
                }
                Ok(Attempt::SetAside(letters)) => return house.post(letters),
                Err(error) => {
                    tracing::error!(%error, seq, "a failed try could not be noted");
                    tokio::time::sleep(pause).await;
                }
            },
        }
        next = loop {
            match house.store.still_pending(seq, clock::now()).await {
                Ok(pending) => break pending,
                Err(error) => {
                    tracing::error!(%error, seq, "an event could not be read back");
                    tokio::time::sleep(pause).await;
                }
            }
        };
    }
}

async fn carry(house: &Arc<House>, pending: Pending) -> Result<(), StoreError> {
    let Pending {
        seq,
        event,
        admission,
    } = pending;
    let house = house.clone();
    let carried = match admission {
        Admission::Claim(person) => claim(&house, seq, &event.place, &event.sender, person)
            .await
            .map(|()| None),
        Admission::Command(_, scope, command) => answer(&house, seq, &event.place, scope, &command)
            .await
            .map(|()| command_reply(&event.what)),
        Admission::Opened(owner) => {
            let EventKind::Opened { reply } = event.what else {
                return Ok(());
            };
            tokio::spawn(home::show(house.clone(), event.place.clone(), owner, reply));
            Ok(None)
        }
        Admission::Picked(person) => {
            let EventKind::Picked { offered } = event.what else {
                return Ok(());
            };
            house
                .store
                .picked(&event.place.line, person.id, offered, clock::now())
                .await
                .map(|()| None)
        }
        Admission::Search(_) => {
            let EventKind::Search { query, reply } = event.what else {
                return Ok(());
            };
            tokio::spawn(offers::offer(
                house.clone(),
                event.place.clone(),
                query,
                reply,
            ));
            Ok(None)
        }
        Admission::Press {
            person,
            token,
            on,
            reply,
        } => gate::press(&house, &person, &event.place, token, on)
            .await
            .map(|notice| Some((reply, notice))),
        Admission::WrongPresser { reply } => Ok(Some((
            reply,
            Some("Only the person who paired this chat can press here.".into()),
        ))),
        // Unpaired meanwhile.
        Admission::Amend
        | Admission::Ignore(_)
        | Admission::Pair { .. }
        | Admission::Serve(..)
        | Admission::Stranger => Ok(None),
    };
    if let Some((reply, notice)) = carried? {
        let line = event.place.line.clone();
        tokio::spawn(gate::acknowledge(house.clone(), line, reply, notice));
    }
    // It is done, and must not be done again because that could not be noted.
    while let Err(error) = house.store.carried_out(seq).await {
        tracing::error!(%error, seq, "an event was carried out and not recorded yet");
        tokio::time::sleep(MACHINE_PAUSE.0).await;
    }
    Ok(())
}

fn command_reply(what: &EventKind) -> Option<(bot_policy::event::ReplyHandle, Option<String>)> {
    match what {
        EventKind::Command { reply, .. } => Some((reply.clone(), None)),
        EventKind::Delete { .. }
        | EventKind::Delivery { .. }
        | EventKind::Edit { .. }
        | EventKind::Left
        | EventKind::Message { .. }
        | EventKind::Moved { .. }
        | EventKind::Opened { .. }
        | EventKind::Picked { .. }
        | EventKind::Press { .. }
        | EventKind::Search { .. } => None,
    }
}

async fn claim(
    house: &House,
    seq: i64,
    place: &Place,
    sender: &Sender,
    person: Person,
) -> Result<(), StoreError> {
    let Sender::Person(user) = sender else {
        return Ok(());
    };
    let asked = house
        .store
        .ask_claim(place.clone(), user.clone(), person, clock::now())
        .await?;
    let Some(letters) = asked else { return Ok(()) };
    house.post(letters);
    let text = "I asked the owner in their direct chat whether I may be used here.";
    house.post(
        house
            .store
            .answer_event(seq, place.clone(), notice(text), clock::now())
            .await?,
    );
    Ok(())
}

async fn answer(
    house: &Arc<House>,
    seq: i64,
    place: &Place,
    scope: Scope,
    command: &Command,
) -> Result<(), StoreError> {
    let text = match command {
        Command::Help => help(place, scope),
        Command::NotHere { name } => format!(
            "/{} is not something I do here. /help shows what is.",
            bot_policy::visible::foreign(name)
        ),
        Command::Rules => rules(house),
        Command::Status => status(house).await?,
        Command::Why => why(house, place).await?,
        Command::Incognito { .. }
        | Command::Link { .. }
        | Command::New
        | Command::Policy { .. }
        | Command::Stop
        | Command::Unlink
        | Command::Unpair => return Ok(()),
    };
    house.post(
        house
            .store
            .answer_event(seq, place.clone(), notice(text), clock::now())
            .await?,
    );
    Ok(())
}

fn help(place: &Place, scope: Scope) -> String {
    let commands = match place.line.as_str() == crate::code::LINE {
        true => commands_at_terminal(),
        false => commands(scope),
    };
    let lines: Vec<String> = commands
        .iter()
        .map(|(name, what)| format!("/{name}  {what}"))
        .collect();
    lines.join("\n")
}

fn rules(house: &House) -> String {
    let rules = match house.rulebook.in_force() {
        Ok(rules) => rules,
        Err(error) => return error.to_string(),
    };
    let list = |rules: &[Rule]| -> String {
        rules
            .iter()
            .map(|rule| {
                format!(
                    "{:<6}{}\n",
                    format!("{:?}", rule.action).to_lowercase(),
                    rule.pattern
                )
            })
            .collect()
    };
    let own = if rules.owners().is_empty() {
        "none yet: Always on a card makes one\n".to_owned()
    } else {
        list(rules.owners())
    };
    let specs = house.tools.specs();
    let is_here = |rule: &&Rule| {
        let tool = rule.pattern.split_whitespace().next().unwrap_or_default();
        specs
            .iter()
            .any(|spec| tool.strip_prefix('@') == Some(spec.name.as_str()))
    };
    let shipped: Vec<Rule> = Rules::shipped()
        .with_postern()
        .iter()
        .filter(is_here)
        .cloned()
        .collect();
    format!(
        "Your rules:\n{own}\nRules that come with Postern:\n{}",
        list(&shipped)
    )
}

async fn status(house: &Arc<House>) -> Result<String, StoreError> {
    let status = house.status().await?;
    let mut text = format!(
        "Postern {}\nmodel: {}\nopen cards: {}\n",
        status.version, status.model, status.open_questions
    );
    for line in &status.lines {
        text.push_str(
            &format!("{}: {:?}, {}\n", line.line, line.state, line.detail).to_lowercase(),
        );
    }
    for note in &status.notes {
        text.push_str(&format!("{note}\n"));
    }
    Ok(text)
}
