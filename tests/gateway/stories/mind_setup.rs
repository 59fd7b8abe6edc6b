//! Which model answers is said before anything runs, and so is what keeps it from answering.

use fakes::model::KEY;

use super::house::House;

/// What the program says when it does not start.
async fn does_not_start(settings: &str, variables: &[(&str, &str)]) -> String {
    let house = House::build().await;
    house.home.write_key(KEY);
    house
        .home
        .add_settings(&settings.replace("KEY", &house.home.key().display().to_string()));
    let mut command = house.home.command(&[]);
    command.envs(variables.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let output = output.await.unwrap();
    assert_ne!(output.status.code(), Some(0));
    String::from_utf8(output.stderr).unwrap()
}

#[tokio::test]
async fn several_usual_keys_ask_for_a_choice() {
    let keys = [("OPENAI_API_KEY", KEY), ("ANTHROPIC_API_KEY", KEY)];
    let said = does_not_start("", &keys).await;
    assert!(
        said.contains("model: ANTHROPIC_API_KEY and OPENAI_API_KEY are all set; say in [model] of postern.toml which one answers, with provider and name"),
        "{said}"
    );
}

#[tokio::test]
async fn keys_that_cannot_be_used_are_said_before_anything_runs() {
    let model = "[model]\nprovider = \"openai\"\nname = \"gpt-5-mini\"\n";
    for (more, says) in [
        (
            "",
            "gpt-5-mini: key_env OPENAI_API_KEY is not set; export it with the provider's key, or set key_file",
        ),
        (
            "key_file = \"KEY\"\nkey_env = \"X\"",
            "gpt-5-mini: key_file and key_env are both set; keep one of them",
        ),
        (
            "key_file = \"KEY-not\"",
            "cannot be read (there is no such file); write the provider's key into it",
        ),
        (
            "key_file = \"~/model-key\"",
            "cannot be read (~ is not your home folder here: name the whole path); write the provider's key into it",
        ),
        (
            "key_env = \"POSTERN_SHORT\"",
            "gpt-5-mini: key_env POSTERN_SHORT does not hold a key; put the provider's key into it, and nothing else",
        ),
    ] {
        let said = does_not_start(&format!("{model}{more}\n"), &[("POSTERN_SHORT", "abc")]).await;
        assert!(said.contains(says), "{more}: {said}");
    }
}

#[tokio::test]
async fn a_key_that_others_can_read_is_refused_with_what_mends_it() {
    use std::os::unix::fs::PermissionsExt;
    let house = House::build().await;
    house.home.write_key(KEY);
    let loose = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(house.home.key(), loose).unwrap();
    house.home.add_settings(&format!(
        "[model]\nprovider = \"openai\"\nname = \"gpt-5-mini\"\nkey_file = \"{}\"\n",
        house.home.key().display()
    ));
    let said = house.cli(&[]).await;
    assert!(
        said.err
            .contains("can be read by others; make it yours alone with: chmod 600 "),
        "{said:?}"
    );
    let checked = house.cli(&["config", "check"]).await;
    assert!(checked.out.contains("can be read by others"), "{checked:?}");
}

#[tokio::test]
async fn one_usual_key_is_used_and_said() {
    let mut house = House::build().await;
    house.with_variable("OPENAI_API_KEY", KEY);
    house.start().await;
    let says = "gpt-5-mini (openai), by OPENAI_API_KEY";
    assert!(house.banner().contains(says), "{}", house.banner());
    let status = house.cli(&["status"]).await;
    assert!(status.out.contains(says), "{status:?}");
    assert!(!house.banner().contains(KEY));
}
