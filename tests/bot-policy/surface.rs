//! What becomes of a question where it is put.

use bot_policy::decide::{CanAsk, Mode, Says, Standing, Surface, Verdict, decide};
use bot_policy::rules::{Action, suggestion};
use bot_policy::surface::{
    Again, Asked, Came, Offered, Open, Saves, Settled, Turns, Typed, Waiting, settled, typed,
};
use serde::Deserialize;
use serde_json::json;

use crate::world::{call, judged, rule, standing, with_rules, write_notes};

#[derive(Deserialize)]
struct Row {
    kind: String,
    input: String,
    expected: String,
    #[serde(default)]
    context: String,
}

type Surfaced = (&'static str, &'static str, fn() -> String);

/// What the recorded words of a surface row mean here.
const SURFACES: [Surfaced; 16] = [
    ("acp: dialog grants", "run", || {
        after(Asked::AllowOnce, Offered::Rule)
    }),
    ("acp: dialog denies", "block; refused", || {
        after(Asked::Deny, Offered::Rule)
    }),
    ("acp: deny_always on delete", "block; rule saved", || {
        after(Asked::Never, Offered::Rule)
    }),
    ("acp: allow_always on exec", "block; not offered", || {
        after(Asked::Always, Offered::Once)
    }),
    ("acp: method not found", "block; no way to ask", || {
        after(Asked::Unable, Offered::Rule)
    }),
    ("acp: transport error", "block; nobody refused", || {
        after(Asked::Failed, Offered::Rule)
    }),
    ("acp: timeout", "block; nobody refused", || {
        after(Asked::Silent, Offered::Rule)
    }),
    (
        "acp: second request after a timeout in the same run",
        "block; no way to ask",
        || unattended(CanAsk::No, Surface::Ide, Mode::Interactive),
    ),
    ("mcp without elicitation", "block; no way to ask", || {
        after(Asked::Unable, Offered::Rule)
    }),
    (
        "mcp without elicitation, dangerous exec",
        "block; denied",
        || denied(Surface::Ide),
    ),
    ("gateway", "card", || {
        unattended(CanAsk::Yes, Surface::Chat, Mode::Interactive)
    }),
    ("gateway, deny rule", "block; denied", || {
        denied(Surface::Chat)
    }),
    (
        "gateway, slash-command pre-exec line that asks",
        "block; no way to ask",
        || unattended(CanAsk::Yes, Surface::Unattended, Mode::Interactive),
    ),
    ("one-shot without tty", "block; no way to ask", || {
        unattended(CanAsk::No, Surface::Terminal, Mode::Interactive)
    }),
    (
        "scheduler job, ask, i_know=false",
        "block; no way to ask",
        || unattended(CanAsk::Yes, Surface::Unattended, Mode::Interactive),
    ),
    ("scheduler job, deny, i_know=true", "block; denied", || {
        denied(Surface::Unattended)
    }),
];

#[test]
fn each_recorded_answer_mode_and_surface_is_as_it_should_be() {
    let rows: Vec<Row> = include_str!("../fixtures/policy/surfaces.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for row in &rows {
        match row.kind.as_str() {
            "answer" => {
                let line = (row.input != "<ctrl-c>").then_some(row.input.as_str());
                let once = |answer: &Typed| match answer {
                    Typed::Always => "allow_always",
                    Typed::BrokenOff => "canceled",
                    Typed::No => "deny_once",
                    Typed::Never => "deny_forever",
                    Typed::Words(_) => "kept for the next turn; the question stays open",
                    Typed::Yes => "run_once",
                };
                let alone = |offered| typed(line, offered, Came::Alone);
                let (ruled, exec) = (alone(Offered::Rule), alone(Offered::Once));
                let pasted = typed(Some(&row.input), Offered::Rule, Came::Pasted);
                assert_eq!(pasted, Typed::Words(row.input.clone()));
                let got = if ruled == exec {
                    once(&ruled).to_owned()
                } else {
                    format!("{} (non-exec) / {} (exec)", once(&ruled), once(&exec))
                };
                assert_eq!(got, row.expected, "{}", row.input);
            }
            "mode" if row.context.starts_with('/') => {
                let got = Mode::named(&row.input.to_uppercase()).map(|mode| match mode {
                    Mode::Auto => "auto",
                    Mode::Interactive => "interactive",
                });
                assert_eq!(got, Some(row.expected.as_str()));
            }
            "mode" => {
                let got = match row.context.as_str() {
                    "mode=interactive verdict=ask" => {
                        unattended(CanAsk::Yes, Surface::Terminal, Mode::Interactive)
                    }
                    _ => denied(Surface::Terminal),
                };
                let expected = if row.expected == "prompt" {
                    "card"
                } else {
                    "block; denied"
                };
                assert_eq!(got, expected);
            }
            _ => {
                let (_, expected, got) = SURFACES
                    .iter()
                    .find(|(name, _, _)| *name == row.input)
                    .unwrap();
                assert_eq!(got(), *expected, "{}: {}", row.input, row.expected);
            }
        }
    }
    eprintln!("surfaces: {} rows", rows.len());
    assert_eq!(rows.len(), 38);
    assert_eq!(Mode::named("sometimes"), None);
}

fn after(asked: Asked, offered: Offered) -> String {
    match settled(asked, offered) {
        Settled::Runs(_) => "run".into(),
        Settled::Blocked {
            saves: Saves::Rule, ..
        } => {
            assert_eq!(
                suggestion(&call("coder", "delete", json!({}))).as_deref(),
                Some("@coder delete")
            );
            "block; rule saved".into()
        }
        Settled::Blocked { because, .. } => {
            let words = ["nobody refused", "not offered", "no way to ask", "refused"];
            format!(
                "block; {}",
                words
                    .into_iter()
                    .find(|word| because.contains(word))
                    .unwrap()
            )
        }
    }
}

fn unattended(can_ask: CanAsk, surface: Surface, mode: Mode) -> String {
    match decide(
        write_notes(),
        &Standing {
            can_ask,
            surface,
            mode,
            ..standing()
        },
    )
    .verdict
    {
        Verdict::Allow(_) => "run".into(),
        Verdict::Ask(_) => "card".into(),
        Verdict::Deny(reason) => {
            assert!(reason.text.contains("needs an approval"), "{}", reason.text);
            "block; no way to ask".into()
        }
    }
}

fn denied(surface: Surface) -> String {
    let standing = Standing {
        surface,
        mode: Mode::Auto,
        ..with_rules(vec![rule("@files", Action::Deny)])
    };
    assert_eq!(judged(write_notes(), &standing), (Says::Deny, vec![5]));
    "block; denied".into()
}

#[test]
fn a_question_stays_open_as_long_as_its_surface_says() {
    let open = [
        Surface::Chat,
        Surface::Ide,
        Surface::Terminal,
        Surface::Unattended,
    ]
    .map(Surface::open);
    assert_eq!(
        open,
        [
            Open::Seconds(86_400),
            Open::Seconds(600),
            Open::WithProcess,
            Open::Never
        ]
    );
}

#[test]
fn after_silence_nobody_is_asked_again_in_the_run() {
    let again = |asked| match settled(asked, Offered::Rule) {
        Settled::Blocked { again, .. } => Some(again),
        Settled::Runs(_) => None,
    };
    assert_eq!(again(Asked::Silent), Some(Again::No));
    assert_eq!(again(Asked::Unable), Some(Again::No));
    assert_eq!(again(Asked::Deny), Some(Again::Yes));
    assert_eq!(again(Asked::Always), None);
}

#[test]
fn workers_ask_one_at_a_time_with_name_and_task() {
    let waiting = |worker: &str, task: String| Waiting {
        worker: worker.into(),
        task,
        question: (),
    };
    let mut turns = Turns::default();
    turns.ask(waiting("shell", "run the\ntests".into()));
    turns.ask(waiting("files", "x".repeat(200)));
    let now = |turns: &Turns<()>| turns.now().map(|one| one.heading().to_string());
    assert_eq!(
        now(&turns),
        Some("shell asks, for: run the\\u{a}tests".into())
    );
    assert_eq!(turns.settle().map(|one| one.worker), Some("shell".into()));
    assert_eq!(
        now(&turns),
        Some(format!("files asks, for: {}\u{2026}", "x".repeat(120)))
    );
    turns.settle();
    assert_eq!(now(&turns), None);
}
