//! What does the model use up? Today against its bounds, and day by day.

use serde_json::{Value, json};

use crate::store::StoreError;
use crate::{House, clock};

/// How many days are shown.
const DAYS: i64 = 7;

impl House {
    /// What today used up of each bound that the owner set; empty where nothing is counted.
    pub(super) async fn budget_today(&self) -> Result<Value, StoreError> {
        let Some(set) = &self.budget else {
            return Ok(json!([]));
        };
        let today = self.store.spent_today(clock::now()).await?;
        let money = today.money as f64 / 1e6;
        let mut all = vec![
            json!({ "what": "calls", "used": today.calls, "of": set.calls_per_day }),
            json!({ "what": "tokens", "used": today.tokens, "of": set.tokens_per_day }),
        ];
        if today.money > 0 || set.money_per_day.is_some() {
            let of = set.money_per_day.map(|most| most.0);
            all.push(json!({ "what": "money", "used": money, "of": of }));
        }
        Ok(all.into())
    }

    /// What each model used up in the last days, newest first.
    pub(super) async fn use_by_day(&self) -> Result<Value, StoreError> {
        let days = self.store.spent_by_day(clock::now(), DAYS).await?;
        let rows = days.into_iter().map(|day| {
            json!({
                "day": day.begins.0,
                "model": if day.model.is_empty() { "no answer" } else { &day.model },
                "calls": day.spent.calls,
                "tokens": day.spent.tokens,
                "money": day.spent.money as f64 / 1e6,
            })
        });
        Ok(rows.collect())
    }
}
