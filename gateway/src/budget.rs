//! May the model be asked once more? What a turn and a day used up, against what the owner set.

use crate::config::model::Budget;

/// What was used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Times that the model was asked.
    pub calls: u64,
    /// Tokens, read and written.
    pub tokens: u64,
    /// Money, in millionths.
    pub money: u64,
}

/// Why the model is not asked, for the person; none while everything has room.
pub fn used_up(set: &Budget, turn: Spent, day: Spent) -> Option<String> {
    let of_day = over(
        day,
        set.calls_per_day,
        set.tokens_per_day,
        set.money_per_day.map(|most| most.0),
    );
    if let Some(what) = of_day {
        return Some(format!(
            "Today's budget for the model is used up ({what}); it is free again at 00:00 UTC, or the owner raises budget in [model]. Nothing is lost."
        ));
    }
    let of_turn = over(
        turn,
        set.calls_per_turn,
        set.tokens_per_turn,
        set.money_per_turn.map(|most| most.0),
    );
    of_turn.map(|what| {
        format!(
            "The budget of this turn is used up ({what}); write again to begin another, or the owner raises budget in [model]. Nothing is lost."
        )
    })
}

/// What was used up, in words.
pub fn told(spent: Spent) -> String {
    let mut told = format!("asked {} times, {} tokens", spent.calls, spent.tokens);
    if spent.money > 0 {
        told.push_str(&format!(", {} of money", money(spent.money)));
    }
    told
}

fn over(
    spent: Spent,
    calls: Option<u32>,
    tokens: Option<u64>,
    most_money: Option<f64>,
) -> Option<String> {
    if let Some(most) = calls.filter(|most| spent.calls >= u64::from(*most)) {
        return Some(format!("{} of {most} calls", spent.calls));
    }
    if let Some(most) = tokens.filter(|most| spent.tokens >= *most) {
        return Some(format!("{} of {most} tokens", spent.tokens));
    }
    let most = most_money.filter(|most| spent.money as f64 >= most * 1e6)?;
    Some(format!("{} of {most} of money", money(spent.money)))
}

fn money(millionths: u64) -> String {
    format!("{:.4}", millionths as f64 / 1e6)
}
