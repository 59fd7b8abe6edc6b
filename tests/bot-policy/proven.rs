//! Which command lines does row 14 let run unasked, and where?

use std::sync::Arc;

use bot_policy::decide::{Says, Standing};
use bot_policy::shell::FolderTrust;
use bot_policy::tool::{CommandSpec, Needed, Parameter, ParameterRole, Reach};
use serde_json::json;

use crate::world::{call, judged, standing};

#[test]
fn row_14_proves_more_in_a_folder_that_the_owner_vouched_for() {
    let status = || call("coder", "exec", json!({"cmd": "git status"}));
    let trusted = Standing {
        folder: FolderTrust::Trusted,
        ..standing()
    };
    assert_eq!(judged(status(), &trusted), (Says::Allow, vec![14]));
    assert_eq!(judged(status(), &standing()), (Says::Ask, vec![16]));
    let mut shared = Standing {
        folder: FolderTrust::Shared,
        ..standing()
    };
    // The world's own command takes no folder to run in.
    for command in coder(&mut shared) {
        command.parameters.push(Parameter {
            name: "dir".into(),
            description: "a folder inside".into(),
            role: ParameterRole::Note,
            needed: Needed::No,
        });
    }
    let run = |cmd: &str, dir: &str| {
        let call = call("coder", "exec", json!({"cmd": cmd, "dir": dir}));
        judged(call, &shared).0
    };
    assert_eq!(judged(status(), &shared), (Says::Allow, vec![14]));
    assert_eq!(run("git status", "."), Says::Allow);
    assert_eq!(run("git status", "notes"), Says::Ask);
    assert_eq!(run("git -C notes status", ""), Says::Ask);
    assert_eq!(run("cargo --version", ""), Says::Ask);
    assert_eq!(run("cat a", "notes"), Says::Allow);
}

#[test]
fn row_14_says_nothing_where_a_command_reaches_the_net() {
    let mut open = Standing {
        folder: FolderTrust::Trusted,
        ..standing()
    };
    let lines = ["cat a.txt", "git status", "echo hello"];
    let says = |standing: &Standing, line: &str| {
        judged(call("coder", "exec", json!({"cmd": line})), standing)
    };
    for line in lines {
        assert_eq!(says(&open, line), (Says::Allow, vec![14]), "{line}");
    }
    for command in coder(&mut open) {
        command.reach = Reach::Net(String::new());
    }
    for line in lines {
        assert_eq!(says(&open, line), (Says::Ask, vec![16]), "{line}");
    }
}

fn coder(standing: &mut Standing) -> &mut [CommandSpec] {
    let tools = Arc::make_mut(&mut standing.tools);
    let coder = tools.iter_mut().find(|tool| tool.name.as_str() == "coder");
    &mut coder.unwrap().commands
}
