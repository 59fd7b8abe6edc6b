//! `[model]` says what is wrong with it, and where.

use std::path::Path;

use gateway::config::Config;
use gateway::config::model::{Amount, Endpoint, Price, Provider};

const BASE: &str = "[model]\nprovider = \"openai\"\nname = \"gpt-5-mini\"\n";

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(Path::new("/somewhere/postern.toml"), text).map_err(|why| why.to_string())
}

#[test]
fn no_table_is_no_model() {
    assert_eq!(parse("").unwrap().model, None);
}

#[test]
fn what_is_set_is_what_is_read() {
    let text = "[model]\nprovider = \"openai-compatible\"\nname = \"qwen3:8b\"\nendpoint = \"http://127.0.0.1:8000/v1\"\nprice = { input = 1, output = 2.5 }\n[[model.fallbacks]]\nprovider = \"ollama\"\nname = \"llama3\"\n";
    let model = parse(text).unwrap().model.unwrap();
    assert_eq!(
        (
            model.provider,
            model.endpoint,
            model.price,
            model.fallbacks.len(),
            model.stream
        ),
        (
            Provider::Compatible,
            Some(Endpoint("http://127.0.0.1:8000/v1/".to_owned())),
            Some(Price {
                input: Amount(1.0),
                output: Amount(2.5)
            }),
            1,
            true
        )
    );
}

#[test]
fn every_mistake_is_named_with_its_place_its_key_and_what_to_do() {
    let cases = [
        (
            "[model]\nprovider = \"openai\"".to_owned(),
            "1:1: model: the setting `name` is missing; add it",
        ),
        (
            "[model]\nprovider = \"gpt\"".to_owned(),
            "2:12: model.provider: `gpt` is not known here; use `anthropic`, `openai-compatible`, `gemini`, `ollama`, `openai`",
        ),
        (
            "[model]\nprovider = \"openai\"\nname = \"../x\"".to_owned(),
            "3:8: model.name: \"../x\" is not a model's name; write it as the provider does, like gpt-5-mini",
        ),
        (
            format!("{BASE}endpoint = \"https://host/v1?key=abc\""),
            "4:12: model.endpoint: this is not a plain address; write it like https://host/v1, without a key in it",
        ),
        (
            format!("{BASE}endpoint = \"https://me:secret@host/v1\""),
            "4:12: model.endpoint: this is not a plain address; write it like https://host/v1, without a key in it",
        ),
        (
            format!("{BASE}timeouts = {{ first = 0 }}"),
            "4:22: model.timeouts.first: give a time in seconds, from 1 to 86400",
        ),
        (
            format!("{BASE}context_tokens = 10"),
            "4:18: model.context_tokens: give a number of tokens from 1000 to 10000000",
        ),
        (
            format!("{BASE}[model.price]\ninput = -1.0\noutput = 1.0"),
            "5:9: model.price.input: give an amount from 0 to 1000000",
        ),
        (
            format!("{BASE}[model.budget]\ntokens = 5"),
            "5:1: model.budget.tokens: there is no setting `tokens`; correct or remove it (there is: `calls_per_turn`, `tokens_per_turn`, `money_per_turn`, `calls_per_day`, `tokens_per_day`, `money_per_day`)",
        ),
        (
            format!("{BASE}calls = \"both\""),
            "4:9: model.calls: `both` is not known here; use `native` or `written`",
        ),
    ];
    for (text, expected) in cases {
        let said = parse(&text).unwrap_err();
        assert_eq!(
            said,
            format!("/somewhere/postern.toml:{expected}"),
            "{text}"
        );
    }
}

#[test]
fn a_key_in_the_file_is_refused_and_not_repeated() {
    let said = parse(&format!("{BASE}key = \"sk-0123456789\"")).unwrap_err();
    assert!(said.contains("there is no setting `key`"), "{said}");
    assert!(!said.contains("sk-0123456789"), "{said}");
}

#[test]
fn a_key_that_travels_in_the_clear_is_warned_about() {
    let warned = |endpoint: &str| {
        let text = format!("{BASE}endpoint = \"{endpoint}\"");
        parse(&text).unwrap().warnings().len()
    };
    assert_eq!(
        (
            warned("http://10.0.0.1/v1"),
            warned("https://10.0.0.1/v1"),
            warned("http://127.0.0.1:1/v1"),
            warned("http://localhost:1/v1")
        ),
        (1, 0, 0, 0)
    );
}

#[test]
fn money_that_is_bounded_without_a_price_is_warned_about() {
    let bounded = format!("{BASE}[model.budget]\nmoney_per_day = 1.0");
    let priced = format!(
        "{BASE}price = {{ input = 1.0, output = 1.0 }}\n[model.budget]\nmoney_per_day = 1.0"
    );
    assert_eq!(
        (
            parse(&bounded).unwrap().warnings().len(),
            parse(&priced).unwrap().warnings().len()
        ),
        (1, 0)
    );
}
