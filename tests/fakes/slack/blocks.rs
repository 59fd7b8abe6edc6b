//! What do blocks show, and what does Slack refuse in them?

use std::collections::BTreeSet;

use serde_json::Value;

/// What a reader sees of blocks, line by line.
pub fn text(blocks: &[Value]) -> String {
    let lines = blocks
        .iter()
        .filter_map(|block| match block["type"].as_str()? {
            "rich_text" => {
                let each = block["elements"].as_array()?.iter();
                let lines: Vec<String> = each.map(|element| run(&element["elements"])).collect();
                Some(lines.join("\n"))
            }
            "section" | "header" => block["text"]["text"].as_str().map(str::to_owned),
            _ => None,
        });
    lines.collect::<Vec<_>>().join("\n")
}

fn run(elements: &Value) -> String {
    let each = elements.as_array().into_iter().flatten();
    let texts = each.map(|element| {
        let text = element["text"].as_str().unwrap_or("");
        match element["type"].as_str() {
            Some("link") if text.is_empty() => element["url"].as_str().unwrap_or(""),
            _ => text,
        }
    });
    texts.collect()
}

/// Label and value of each button.
pub fn buttons(blocks: &[Value]) -> Vec<(String, String)> {
    let actions = blocks.iter().filter(|block| block["type"] == "actions");
    let elements = actions.flat_map(|block| block["elements"].as_array().into_iter().flatten());
    let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
    elements
        .map(|button| (word(&button["text"]["text"]), word(&button["value"])))
        .collect()
}

/// Why Slack refuses these blocks, if it does ("Block Kit: blocks" and "block elements").
pub fn fault(blocks: &Value) -> Option<String> {
    let blocks = match blocks {
        Value::Null => return None,
        Value::Array(blocks) => blocks,
        _ => return Some("invalid_blocks_format".to_owned()),
    };
    if blocks.len() > 50 {
        return Some("invalid_blocks".to_owned());
    }
    let mut names = BTreeSet::new();
    let named = |block: &Value| block["block_id"].as_str().map(str::to_owned);
    for block in blocks {
        if let Some(name) = named(block)
            && (name.len() > 255 || !names.insert(name))
        {
            return Some("invalid_blocks".to_owned());
        }
        let right = match block["type"].as_str() {
            Some("rich_text") => rich(block),
            Some("actions") => actions(block),
            Some("section") => {
                let text = block["text"]["text"].as_str().unwrap_or("");
                (1..=3000).contains(&text.chars().count())
            }
            Some("header") => {
                let text = block["text"]["text"].as_str().unwrap_or("");
                (1..=150).contains(&text.chars().count())
            }
            Some("divider") => true,
            _ => false,
        };
        if !right {
            return Some("invalid_blocks".to_owned());
        }
    }
    None
}

fn rich(block: &Value) -> bool {
    let Some(elements) = block["elements"].as_array() else {
        return false;
    };
    let inline = |element: &Value| match element["type"].as_str() {
        Some("text") => {
            let style = element["style"].as_object();
            let known = ["bold", "italic", "strike", "code"];
            let styled = style.is_none_or(|style| {
                style
                    .iter()
                    .all(|(key, on)| known.contains(&key.as_str()) && on.is_boolean())
            });
            element["text"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
                && styled
        }
        Some("link") => {
            let url = element["url"].as_str().unwrap_or("");
            ["http://", "https://", "mailto:"]
                .iter()
                .any(|scheme| url.starts_with(scheme))
        }
        _ => false,
    };
    !elements.is_empty()
        && elements.iter().all(|element| {
            let known = [
                "rich_text_section",
                "rich_text_preformatted",
                "rich_text_quote",
            ];
            let inside = element["elements"].as_array();
            known.contains(&element["type"].as_str().unwrap_or(""))
                && inside.is_some_and(|inside| !inside.is_empty() && inside.iter().all(inline))
        })
}

fn actions(block: &Value) -> bool {
    let Some(elements) = block["elements"].as_array() else {
        return false;
    };
    let mut ids = BTreeSet::new();
    let mut button = |element: &Value| {
        let label = element["text"]["text"].as_str().unwrap_or("");
        let value = element["value"].as_str().unwrap_or("");
        let id = element["action_id"].as_str().unwrap_or("");
        element["type"] == "button"
            && element["text"]["type"] == "plain_text"
            && (1..=75).contains(&label.chars().count())
            && value.chars().count() <= 2000
            && (1..=255).contains(&id.len())
            && ids.insert(id.to_owned())
    };
    (1..=25).contains(&elements.len()) && elements.iter().all(&mut button)
}

/// Slack's three entities as characters.
pub fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// Whom a text would ping: `<!channel>`, `<@U…>` and the like.
pub fn pings(text: &str) -> bool {
    ["<!", "<@", "<#"].iter().any(|mark| text.contains(mark))
}
