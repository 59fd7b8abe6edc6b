//! How often, and how long? Counted since the start, under names that are written in the source:
//! no person, chat or text can get into a label.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Count {
    /// Decisions about calls, by what was done.
    Decisions,
    /// Deeds that ended, by how.
    Deeds,
    /// Events that were stored, by kind.
    Events,
    /// Letters, by what became of one try.
    Letters,
    /// Calls of the model, by how they ended.
    ModelCalls,
    /// Questions, by the state that they came into.
    Questions,
}

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Span {
    /// Storing what came in.
    Accept,
    /// A tool's work.
    Deed,
    /// A model's answer.
    Model,
    /// A platform's taking of a letter.
    Send,
}

/// A number of this moment, with the name and the meaning under which it is shown.
pub(crate) struct Gauge {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) value: i64,
}

/// How long something took, as far as the bounds tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// How many took at most as long as each bound, and no less than the one before.
    within: [u64; BOUNDS.len()],
    /// How many there were.
    pub(crate) count: u64,
    /// All of them together.
    pub(crate) total: Duration,
}

/// The bounds of the histograms, in seconds.
const BOUNDS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];

static COUNTS: Mutex<BTreeMap<(Count, &'static str), u64>> = Mutex::new(BTreeMap::new());
static SPANS: Mutex<BTreeMap<Span, Times>> = Mutex::new(BTreeMap::new());

/// Counts one more.
pub(crate) fn count(what: Count, which: &'static str) {
    *held(&COUNTS).entry((what, which)).or_default() += 1;
}

/// Notes how long something took that began then.
pub(crate) fn took(what: Span, since: Instant) {
    let time = since.elapsed();
    let mut spans = held(&SPANS);
    let times = spans.entry(what).or_default();
    times.count += 1;
    times.total += time;
    let bound = BOUNDS.iter().position(|bound| time.as_secs_f64() <= *bound);
    if let Some(slot) = bound.and_then(|at| times.within.get_mut(at)) {
        *slot += 1;
    }
}

/// Every count so far.
pub(crate) fn counts() -> BTreeMap<(Count, &'static str), u64> {
    held(&COUNTS).clone()
}

/// Every time so far.
pub(crate) fn times() -> BTreeMap<Span, Times> {
    held(&SPANS).clone()
}

impl Times {
    /// The bound under which 95 of 100 stay, in seconds; none where that is over the last one.
    pub(crate) fn most(&self) -> Option<f64> {
        let wanted = (self.count * 95).div_ceil(100);
        let mut seen = 0;
        BOUNDS.iter().zip(self.within).find_map(|(bound, within)| {
            seen += within;
            (seen >= wanted).then_some(*bound)
        })
    }
}

impl Count {
    /// Its name, its label and its meaning.
    pub(crate) fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Decisions => ("decisions", "action", "decisions about calls"),
            Self::Deeds => ("deeds", "how", "calls that were started, by how they ended"),
            Self::Events => ("events", "kind", "events that were stored"),
            Self::Letters => ("letters", "fate", "tries to deliver a letter"),
            Self::ModelCalls => ("model_calls", "outcome", "calls of the model"),
            Self::Questions => ("questions", "state", "questions that came into a state"),
        }
    }
}

impl Span {
    /// Its name and its meaning.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Accept => ("accept", "storing what came in"),
            Self::Deed => ("deed", "running a call"),
            Self::Model => ("model", "waiting for the model"),
            Self::Send => ("send", "handing a letter to a platform"),
        }
    }
}

/// Everything as Prometheus reads it (text format 0.0.4).
pub(crate) fn render(gauges: &[Gauge]) -> String {
    let mut text = String::new();
    let head = |text: &mut String, name: &str, kind: &str, help: &str| {
        let _ = writeln!(
            text,
            "# HELP postern_{name} {help}\n# TYPE postern_{name} {kind}"
        );
    };
    for Gauge { name, help, value } in gauges {
        head(&mut text, name, "gauge", help);
        let _ = writeln!(text, "postern_{name} {value}");
    }
    let mut last = None;
    for ((what, which), many) in counts() {
        let (name, label, help) = what.words();
        if last != Some(what) {
            head(&mut text, &format!("{name}_total"), "counter", help);
            last = Some(what);
        }
        let _ = writeln!(text, "postern_{name}_total{{{label}=\"{which}\"}} {many}");
    }
    for (what, times) in times() {
        let (name, help) = what.words();
        head(&mut text, &format!("{name}_seconds"), "histogram", help);
        let mut seen = 0;
        for (bound, within) in BOUNDS.iter().zip(times.within) {
            seen += within;
            let _ = writeln!(
                text,
                "postern_{name}_seconds_bucket{{le=\"{bound}\"}} {seen}"
            );
        }
        let (count, total) = (times.count, times.total.as_secs_f64());
        let _ = writeln!(
            text,
            "postern_{name}_seconds_bucket{{le=\"+Inf\"}} {count}\npostern_{name}_seconds_sum {total}\npostern_{name}_seconds_count {count}"
        );
    }
    text
}

fn held<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
