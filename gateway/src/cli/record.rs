//! How is a record of the log written for a program? One object of JSON on each line.

use std::fmt::{self, Debug};

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes records as JSON: when, how grave, from where, within what, and its fields.
pub(super) struct Json;

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        ctx: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut record = Record::default();
        event.record(&mut record);
        let Record(mut record) = record;
        let about = event.metadata();
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let at = since.map_or(0, |since| since.as_millis());
        record.insert("at_ms".to_owned(), u64::try_from(at).unwrap_or(0).into());
        record.insert("level".to_owned(), about.level().to_string().into());
        record.insert("target".to_owned(), about.target().into());
        for span in ctx.event_scope().into_iter().flatten() {
            let within = span.extensions();
            let fields = within.get::<FormattedFields<N>>();
            let fields = fields.map_or("", |fields| fields.fields.as_str());
            record.insert(span.name().to_owned(), fields.into());
        }
        writeln!(writer, "{}", Value::Object(record))
    }
}

#[derive(Default)]
struct Record(Map<String, Value>);

impl Record {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Record {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }
}
