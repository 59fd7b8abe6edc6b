//! A small world to judge in: the tools, the people, a standing.

use std::collections::BTreeMap;
use std::sync::Arc;

use bot_policy::access::{Person, Role, Scope};
use bot_policy::approval::Question;
use bot_policy::call::{Arguments, Call};
use bot_policy::decide::{
    CanAsk, Dangerous, Decision, Finding, Limits, Mode, Says, Standing, Surface, Verdict, decide,
};
use bot_policy::grants::Grants;
use bot_policy::id::{BotName, CallId, ChatId, LineId, PersonId, Place, SourceName, ToolName};
use bot_policy::metadata::Metadata;
use bot_policy::risk::{Risk, Threshold};
use bot_policy::rules::{Action, Rule, Rules};
use bot_policy::shell::FolderTrust;
use bot_policy::taint::Taint;
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};
use serde_json::Value;

pub fn place(chat: &str) -> Place {
    Place {
        line: LineId::new("line"),
        chat: ChatId::new(chat),
        thread: None,
    }
}

pub fn owner() -> Person {
    Person {
        id: PersonId(1),
        role: Role::Owner,
        name: "Ada".into(),
    }
}

pub fn guest() -> Person {
    Person {
        id: PersonId(2),
        role: Role::Guest,
        name: "Bob".into(),
    }
}

pub fn tool(name: &str, commands: Vec<CommandSpec>) -> ToolSpec {
    ToolSpec {
        name: ToolName::new(name),
        origin: Origin::BuiltIn,
        description: String::new(),
        commands,
    }
}

pub fn command(name: &str, permission: &str, change: Change, reach: Reach) -> CommandSpec {
    CommandSpec {
        name: name.into(),
        description: String::new(),
        parameters: Vec::new(),
        change,
        reach,
        reads: Reads::Own,
        permission: permission.into(),
        resource: None,
        always_ask: AlwaysAsk::No,
        metadata: Metadata::default(),
    }
}

pub fn taking(
    mut command: CommandSpec,
    parameters: &[(&str, ParameterRole, Needed)],
) -> CommandSpec {
    command.parameters = parameters
        .iter()
        .map(|(name, role, needed)| Parameter {
            name: (*name).into(),
            description: String::new(),
            role: *role,
            needed: *needed,
        })
        .collect();
    command
}

pub fn tools() -> Vec<ToolSpec> {
    use ParameterRole::{Body, CommandLine, Destination, Note};
    let yes = Needed::Yes;
    let mut read = taking(
        command("read", "files.read", Change::Nothing, Reach::Here),
        &[("file", Note, yes)],
    );
    read.resource = Some("file".into());
    let mut write = taking(
        command("write", "files.write", Change::Something, Reach::Here),
        &[("file", Destination, yes), ("content", Body, yes)],
    );
    write.resource = Some("file".into());
    let mut wipe = command("wipe", "files.wipe", Change::Something, Reach::Here);
    wipe.always_ask = AlwaysAsk::Yes;
    let exec = taking(
        command("exec", "coder.exec", Change::Something, Reach::Here),
        &[("cmd", CommandLine, yes)],
    );
    let save = taking(
        command("save", "memory.save", Change::NewMemory, Reach::Here),
        &[("text", Body, yes)],
    );
    let search = taking(
        command("search", "memory.search", Change::Nothing, Reach::Here),
        &[("query", Note, yes)],
    );
    let fetch = taking(
        command(
            "fetch",
            "web.fetch",
            Change::Nothing,
            Reach::Net(String::new()),
        ),
        &[("url", Destination, yes)],
    );
    let send = taking(
        command(
            "send",
            "email.send",
            Change::Something,
            Reach::Net(String::new()),
        ),
        &[("to", Destination, yes), ("body", Body, yes)],
    );
    let post = command("post", "share.post", Change::Nothing, Reach::Household);
    let tell = command(
        "tell",
        "share.tell",
        Change::Nothing,
        Reach::Place(place("other")),
    );
    let look = command(
        "look",
        "share.look",
        Change::Nothing,
        Reach::Source(SourceName::new("crm")),
    );
    vec![
        tool("coder", vec![exec]),
        tool("email", vec![send]),
        tool("files", vec![read, write, wipe]),
        tool("memory", vec![save, search]),
        tool("share", vec![look, post, tell]),
        tool("web", vec![fetch]),
    ]
}

pub fn call(tool: &str, command: &str, arguments: Value) -> Call {
    let Value::Object(map) = arguments else {
        panic!("arguments are an object");
    };
    Call {
        id: CallId::new("1"),
        tool: ToolName::new(tool),
        command: command.into(),
        arguments: Arguments::Readable(map),
    }
}

pub fn write_notes() -> Call {
    call(
        "files",
        "write",
        serde_json::json!({"file": "notes.txt", "content": "hello"}),
    )
}

pub fn read_notes() -> Call {
    call("files", "read", serde_json::json!({"file": "notes.txt"}))
}

pub fn rule(pattern: &str, action: Action) -> Rule {
    Rule {
        pattern: pattern.into(),
        action,
    }
}

/// The owner's direct chat, clean, shipped rules and grants.
pub fn standing() -> Standing {
    let tools = tools();
    Standing {
        person: owner(),
        bot: BotName::new("bot"),
        place: place("home"),
        scope: Scope::Owner,
        surface: Surface::Chat,
        taint: Taint::default(),
        mode: Mode::Interactive,
        rules: Arc::new(Rules::shipped()),
        grants: Arc::new(Grants::shipped(Scope::Owner, &tools)),
        tools: Arc::new(tools),
        known: Arc::default(),
        approvals: Vec::new(),
        limits: Limits {
            calls_left: 10,
            refusals_in_a_row: 0,
            emails_left: 20,
        },
        threshold: Threshold::High,
        second: Risk::Low,
        denylist: Arc::default(),
        folder: FolderTrust::Untrusted,
        dangerous: Dangerous::Deny,
        can_ask: CanAsk::Yes,
        ground: BTreeMap::new(),
    }
}

pub fn with_rules(rules: Vec<Rule>) -> Standing {
    Standing {
        rules: Arc::new(Rules::in_force(rules)),
        ..standing()
    }
}

/// The same standing, but the person is a guest in their own chat.
pub fn as_guest(standing: Standing) -> Standing {
    Standing {
        person: guest(),
        scope: Scope::Guest,
        ..standing
    }
}

/// What was said, and which rows spoke.
pub fn judged(call: Call, standing: &Standing) -> (Says, Vec<u8>) {
    let decision = decide(call, standing);
    let rows = decision.trace.iter().map(|finding| finding.row).collect();
    (said(&decision), rows)
}

pub fn said(decision: &Decision) -> Says {
    match &decision.verdict {
        Verdict::Allow(_) => Says::Allow,
        Verdict::Ask(question) => question.says,
        Verdict::Deny(_) => Says::Deny,
    }
}

pub fn asked(call: Call, standing: &Standing) -> Question {
    match decide(call, standing).verdict {
        Verdict::Ask(question) => question,
        Verdict::Allow(_) => panic!("it was allowed"),
        Verdict::Deny(reason) => panic!("it was denied: {reason:?}"),
    }
}

pub fn rows(findings: &[Finding]) -> Vec<u8> {
    findings.iter().map(|finding| finding.row).collect()
}
