//! Is this the configuration that it was? A keyed hash that tells nothing of its secrets.

use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;

use crate::secret::{Redactor, Secret};

/// A hash of the configuration without its secrets, in hexadecimal: the same whatever the order of
/// names and whatever a secret is changed to. Without the key nobody can try values against it.
pub fn config_hash(config: &Value, redactor: &Redactor, key: &Secret<impl AsRef<[u8]>>) -> String {
    let shown = integral(redactor.cut_value(config));
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.reveal().as_ref()) else {
        // HMAC takes a key of any length.
        return String::new();
    };
    mac.update(shown.to_string().as_bytes());
    let digest = mac.finalize().into_bytes();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whole numbers written one way, `1.0` as `1`. Depth is bounded by the redactor.
fn integral(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(integral).collect(),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|float| float.fract() == 0.0);
            let near = whole.filter(|float| float.abs() < EXACT);
            match near.and_then(|float| format!("{float:.0}").parse::<i64>().ok()) {
                Some(whole) => whole.into(),
                None => Value::Number(number),
            }
        }
        Value::Object(map) => {
            let mut named: Vec<(String, Value)> = map.into_iter().collect();
            // Some crate of the program may have maps keep the order in which they were filled.
            named.sort_by(|(one, _), (other, _)| one.cmp(other));
            let named = named.into_iter();
            Value::Object(named.map(|(name, value)| (name, integral(value))).collect())
        }
        Value::Bool(_) | Value::Null | Value::String(_) => value,
    }
}

/// Below this every whole number is exact in a float.
const EXACT: f64 = 9_007_199_254_740_992.0;
