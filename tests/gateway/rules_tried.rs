//! Cases of one's own are tried, and nothing that the gateway started changes a rule.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::keeper::{Gateway, Home, Scripted, read};
use crate::rules::{POLICY, rules_of, said, write};

#[test]
fn cases_say_which_is_not_as_expected_and_why() {
    let home = Home::new();
    write(&home, POLICY);
    let file = home.path().join("cases.json");
    let test = || said(&home, &["test", file.to_str().unwrap()]);
    fs::write(
        &file,
        r#"{"cases": [
            {"call": "@files write --file notes/a --content x", "expect": "allow"},
            {"call": "@files write --file diary/a --content x", "expect": "ask"},
            {"call": " ", "expect": "deny"}
        ]}"#,
    )
    .unwrap();
    let expected = "ok    @files write --file notes/a --content x: allow\n\
        fail  @files write --file diary/a --content x: deny, not ask\n        \
                because the rule \"@files write --file diary\" denies it (row 5)\n        \
                the rule \"@files write --file diary\" denies\n\
        fail   : names no tool, so it cannot deny\n\
        2 of 3 cases not as expected.\n";
    assert_eq!(test(), (1, expected.into(), "".into()));

    let at = file.display();
    let shape = r#"a file of cases is {"cases": [{"call": "@files read --file a.txt", "expect": "allow"}]}"#;
    fs::write(&file, r#"{"cases": []}"#).unwrap();
    let expected = format!("postern: {at} holds no case, so it proves nothing; {shape}\n");
    assert_eq!(test(), (1, String::new(), expected));
    fs::write(
        &file,
        "{\"cases\": [\n {\"call\": \"@a\", \"expects\": \"ask\"}]}",
    )
    .unwrap();
    let expected = format!(
        "postern: {at}: line 2, column 25: unknown field `expects`, expected `call` or `expect`; correct it there; {shape}\n"
    );
    assert_eq!(test(), (1, String::new(), expected));
    fs::remove_file(&file).unwrap();
    let given = shape.replace("a file of cases is", "give a file of cases such as");
    let odd = |what: &str| (1, String::new(), format!("postern: {at} {what}; {given}\n"));
    assert_eq!(test(), odd("is not there"));
    fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(test(), odd("is no text in UTF-8"));
    fs::write(&file, " ".repeat(300 * 1024)).unwrap();
    assert_eq!(test(), odd("is longer than 262144 bytes"));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(test(), odd("is a folder"));
    fs::remove_dir(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert_eq!(test(), odd("is no ordinary file"));
}

#[test]
fn folders_that_others_can_enter_are_refused() {
    for which in ["config", "data"] {
        let home = Home::new();
        let at = home.path().join(which);
        fs::create_dir(&at).unwrap();
        fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).unwrap();
        let at = at.display();
        let expected = format!(
            "postern: {at} can be entered by others (mode 755); make it yours alone with: chmod 700 {at}\n"
        );
        for arguments in [&[][..], &["allow", "@files write --file a"]] {
            assert_eq!(said(&home, arguments), (1, String::new(), expected.clone()));
        }
    }
}

#[tokio::test]
async fn f80_what_the_running_gateway_started_changes_no_rule_and_a_person_does() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let allow = ["rules", "allow", "@files write --file a"];
    let kin = home
        .serving(&keeper, Gateway::ThisTest, home.run(&allow))
        .await;
    assert_eq!(
        read(&kin),
        (
            1,
            "",
            "postern: what Postern itself started may not ask it; type the command in a terminal of your own\n"
        )
    );
    assert_eq!(rules_of(&home), [""; 0]);
    let person = home
        .serving(&keeper, Gateway::Elsewhere, home.run(&allow))
        .await;
    assert_eq!(
        read(&person),
        (0, "Saved: allow @files write --file a\n", "")
    );
}
