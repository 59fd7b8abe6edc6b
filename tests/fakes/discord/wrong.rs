//! What goes wrong on the platform.

use serde_json::json;

use super::seen::{Channel, Fault, User};
use super::state::number;
use super::{Fake, gateway};

impl Fake {
    /// Lets something go wrong with the next call of this kind: a method and a path in which
    /// numbers and tokens are stars, like `POST /channels/*/messages`.
    pub fn inject(&self, call: &str, fault: Fault) {
        let mut state = self.shared.lock();
        state
            .faults
            .entry(call.to_owned())
            .or_default()
            .push_back(fault);
    }

    /// How many calls of a kind are still to go wrong.
    pub fn to_go_wrong(&self, call: &str) -> usize {
        let state = self.shared.lock();
        state.faults.get(call).map_or(0, |faults| faults.len())
    }

    /// From now on only this token is known.
    pub fn rotate(&self, token: &str) {
        self.shared.lock().token = token.to_owned();
    }

    /// Lets so many messages into a channel, each time for so many seconds.
    pub fn limit(&self, messages: u32, seconds: f64) {
        self.shared.lock().limit = Some((messages, seconds));
    }

    /// Lets messages of a channel be changed so often, each time for so many seconds.
    pub fn limit_edits(&self, changes: u32, seconds: f64) {
        self.shared.lock().edits = Some((changes, seconds));
    }

    /// How often heartbeats are wanted, in milliseconds, on connections from now on.
    pub fn beat_every(&self, millis: u64) {
        self.shared.lock().interval = millis;
    }

    /// Answers no heartbeat on the connections that are open: they are half dead.
    pub fn fall_silent(&self) {
        self.shared.lock().silent = true;
    }

    /// Closes every connection with a code.
    pub fn close(&self, code: u16) {
        self.order(gateway::Order::Close(code));
    }

    /// Breaks every connection without a word.
    pub fn hang_up(&self) {
        self.order(gateway::Order::HangUp);
    }

    /// Asks every connection to come again.
    pub fn ask_to_reconnect(&self) {
        self.order(gateway::Order::Reconnect);
    }

    /// Ends every session by opcode 9; it may be taken up again or not.
    pub fn invalidate(&self, resumable: bool) {
        self.order(gateway::Order::Invalid(resumable));
    }

    /// Says something on every connection that is no payload.
    pub fn say_garbage(&self, bytes: &[u8]) {
        self.order(gateway::Order::Garbage(bytes.to_vec()));
    }

    /// A person writes, and the gateway tells it so that nobody can read it, however often.
    pub fn say_garbled(&self, user: User, channel: Channel, text: &str) -> u64 {
        let mut state = self.shared.lock();
        let message = state.message(user, channel, text, json!({}));
        let id = number(&message["id"]);
        state.room(channel).said.insert(id, message);
        state.happen(gateway::GARBLED, json!(null));
        drop(state);
        self.shared.changed();
        id
    }

    /// Forgets all sessions that are not connected, and what they would be told again.
    pub fn forget_sessions(&self) {
        self.shared.lock().sessions.clear();
    }

    /// Closes the next connections at once, so many of them, with a code.
    pub fn refuse_connections(&self, times: usize, code: u16) {
        self.shared.lock().refusals = (times, code);
    }

    fn order(&self, order: gateway::Order) {
        let mut state = self.shared.lock();
        state.orders.push(order);
        drop(state);
        self.shared.changed();
    }
}
