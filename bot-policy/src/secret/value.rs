//! What of this value may be shown? The same value without its secrets.

use serde_json::{Map, Value};

use crate::call::{self, ARGUMENT_DEPTH};
use crate::secret::{MARKER, Redactor, is_secret_name};

impl Redactor {
    /// The value without the secrets: known ones are cut from texts, numbers and names, and what
    /// stands under a name that promises a secret is cut whole. Names that become the same are
    /// numbered. What nests too deeply is cut whole.
    pub fn cut_value(&self, value: &Value) -> Value {
        if call::is_deeper(value, ARGUMENT_DEPTH) {
            return marker();
        }
        self.without(value)
    }

    fn without(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.without(item)).collect(),
            Value::Bool(_) | Value::Null => value.clone(),
            Value::Number(number) => {
                if self.cut(&number.to_string()).contains(MARKER) {
                    marker()
                } else {
                    value.clone()
                }
            }
            Value::Object(map) => Value::Object(self.without_in(map)),
            Value::String(text) => Value::String(self.cut(text)),
        }
    }

    fn without_in(&self, map: &Map<String, Value>) -> Map<String, Value> {
        let mut out = Map::new();
        let mut cut = 0_usize;
        for (name, value) in map {
            let value = match value {
                Value::Bool(_) | Value::Null => value.clone(),
                _ if is_secret_name(name) => marker(),
                _ => self.without(value),
            };
            let mut shown = self.cut(name);
            if shown != *name {
                cut += 1;
                if out.contains_key(&shown) {
                    shown = shown.replacen(MARKER, &format!("<redacted#{cut}>"), 1);
                }
            }
            out.insert(shown, value);
        }
        out
    }
}

fn marker() -> Value {
    Value::String(MARKER.to_owned())
}
