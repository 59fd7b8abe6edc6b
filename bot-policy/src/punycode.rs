//! How does the net write a label of another script? Punycode, RFC 3492.

use std::cell::Cell;

use unicode_normalization::UnicodeNormalization;

/// A label as the net writes it; plain ones stay. None where it is too long to be one. Each look at
/// a character is a step.
pub(crate) fn encode(label: &str, steps: &Cell<usize>) -> Option<String> {
    if label.is_ascii() {
        return Some(label.to_owned());
    }
    let label: String = label.nfc().collect();
    let input: Vec<u32> = label.chars().map(u32::from).collect();
    if input.len() > LABEL {
        return None;
    }
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    let mut handled = basic;
    if basic > 0 {
        out.push('-');
    }
    let (mut n, mut delta, mut bias) = (128_u32, 0_u32, 72_u32);
    let total = u32::try_from(input.len()).ok()?;
    while handled < total {
        let next = input.iter().copied().filter(|c| *c >= n).min()?;
        delta = delta.checked_add(next.checked_sub(n)?.checked_mul(handled + 1)?)?;
        n = next;
        steps.update(|steps| steps + input.len());
        for c in &input {
            if *c < n {
                delta = delta.checked_add(1)?;
            }
            if *c == n {
                let mut q = delta;
                let mut k = BASE;
                loop {
                    let t = k.saturating_sub(bias).clamp(1, 26);
                    if q < t {
                        break;
                    }
                    out.push(digit(t + (q - t) % (BASE - t))?);
                    q = (q - t) / (BASE - t);
                    k += BASE;
                }
                out.push(digit(q)?);
                bias = adapt(delta, handled + 1, if handled == basic { 700 } else { 2 });
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n = n.checked_add(1)?;
    }
    Some(format!("xn--{out}"))
}

/// What a label that begins with `xn--` stands for; none for any other, or one that is broken.
pub(crate) fn decode(label: &str, steps: &Cell<usize>) -> Option<String> {
    let text = label
        .get(..4)
        .filter(|start| start.eq_ignore_ascii_case("xn--"));
    let text = text
        .and_then(|_| label.get(4..))
        .filter(|text| text.len() <= LABEL)?;
    let (basic, rest) = text.rsplit_once('-').unwrap_or(("", text));
    let mut out: Vec<char> = basic.chars().collect();
    let (mut n, mut i, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = rest.chars().peekable();
    while digits.peek().is_some() {
        let before = i;
        let (mut w, mut k) = (1_u32, BASE);
        loop {
            let value = digits
                .next()?
                .to_digit(36)
                .map(|value| if value < 10 { value + 26 } else { value - 10 })?;
            i = i.checked_add(value.checked_mul(w)?)?;
            let t = k.saturating_sub(bias).clamp(1, 26);
            if value < t {
                break;
            }
            w = w.checked_mul(BASE - t)?;
            k += BASE;
        }
        let count = u32::try_from(out.len()).ok()?.checked_add(1)?;
        bias = adapt(i - before, count, if before == 0 { 700 } else { 2 });
        n = n.checked_add(i / count)?;
        i %= count;
        steps.update(|steps| steps + out.len());
        out.insert(usize::try_from(i).ok()?, char::from_u32(n)?);
        i += 1;
    }
    Some(out.into_iter().collect())
}

fn adapt(delta: u32, points: u32, damp: u32) -> u32 {
    let mut delta = delta / damp;
    delta += delta / points;
    let mut k = 0;
    while delta > 455 {
        delta /= BASE - 1;
        k += BASE;
    }
    k + BASE * delta / (delta + 38)
}

fn digit(value: u32) -> Option<char> {
    if value < 26 {
        char::from_u32(u32::from(b'a') + value)
    } else {
        char::from_digit(value - 26, 10)
    }
}

const BASE: u32 = 36;
/// A label on the net has at most 63 characters.
const LABEL: usize = 63;
