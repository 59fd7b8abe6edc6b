//! Every public function that takes text answers hostile text on a small stack.

use std::collections::BTreeSet;

use bot_policy::call::{Arguments, Call};
use bot_policy::decide::Mode;
use bot_policy::egress::Known;
use bot_policy::grants::Gate;
use bot_policy::id::{CallId, Timestamp, ToolName};
use bot_policy::pairing::{Code, Tries, redeem, shown_in};
use bot_policy::rules::pattern::{Pattern, Reading};
use bot_policy::rules::{ProjectRules, Rules, breadth, cases, trust};
use bot_policy::secret::{Redactor, Secret, is_secret_name, variable};
use bot_policy::shell::{Denylist, FolderTrust, commands, immune, judge};
use bot_policy::tool::Permission;
use bot_policy::{effective, event, mail, path, risk, sensitive, site, visible};

use crate::world::tools;

#[test]
fn each_answers() {
    let walked = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(|| {
            let texts = texts();
            texts.iter().for_each(|text| all(text));
            texts.len()
        })
        .unwrap()
        .join();
    assert_eq!(walked.unwrap(), 14);
}

/// One line for each module; a function that is not called here is called through one that is.
fn all(text: &str) {
    let tools = tools();
    let known: BTreeSet<String> = ["example.org".to_owned()].into();
    let call = Call {
        id: CallId::new("1"),
        tool: ToolName::new("email"),
        command: text.into(),
        arguments: Arguments::parse(text),
    };
    let mut knows = Known::default();
    knows.typed(text);
    knows.read(text);
    knows.remembers(text);
    knows.took(text);
    let _ = (knows.frees(text), knows.tells(text));
    let _ = (call.text(text).is_some(), call.head(), call.rule_name());
    let _ = (
        effective::typed(text, &tools),
        effective::reduce(CallId::new(""), ToolName::new("files"), text, tools.get(2)),
    );
    let _ = (text.parse::<Permission>(), text.parse::<Gate>());
    let _ = (mail::of(&call), mail::recipients(text));
    let _ = (Code::parse(text), shown_in(text, &[], Timestamp(0)));
    let _ = redeem(
        text,
        &[],
        Tries::default(),
        event::ChatKind::Group,
        Timestamp(0),
    );
    let _ = (path::normal(text), path::is_within(text, text));
    let _ = risk::reply(Some(text));
    let _ = (Rules::parse(text), ProjectRules::parse(text), cases(text));
    let _ = (trust(text, &known), breadth(text));
    if let Some(pattern) = Pattern::read(text) {
        let _ = (
            pattern.matches(&call, Reading::Narrow),
            pattern.matches(&call, Reading::Wide),
        );
    }
    let redactor = Redactor::new([&Secret::new("12345678".to_owned())]).unwrap();
    let _ = (redactor.cut(text), redactor.cut_known(text));
    let _ = (is_secret_name(text), variable(text, text));
    let _ = sensitive::looks(text);
    let _ = (commands(text), Denylist::parse(text), immune::path(text));
    let _ = judge(text, &Denylist::default(), FolderTrust::Trusted);
    let _ = (site::warning(text), site::ascii(text), site::domain(text));
    let _ = (site::host(text).is_some(), site::whole(text));
    let _ = site::warnings(text, &known);
    let _ = Mode::named(text);
    let _ = (
        visible::show(text),
        visible::line(text),
        visible::foreign(text),
    );
}

fn texts() -> Vec<String> {
    let units = [
        "[",
        "{\"a\":",
        "@a ",
        "https://a.",
        "a@b.",
        "(",
        "$(",
        "\"",
        "'",
        "xn--",
        "\u{202e}",
        "e\u{301}",
        "../",
        "\0",
    ];
    units.map(|unit| unit.repeat(40_000)).to_vec()
}
