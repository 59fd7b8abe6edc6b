//! What became of a message of ours?

use adapters::whatsapp::decode;
use bot_policy::event::{EventKind, Fate, Sender};
use bot_policy::id::EventId;

use super::decode::{NOW, webhook};
use super::*;

#[test]
fn f43_what_became_of_a_message_is_told_by_its_id_and_by_the_key_that_it_was_sent_with() {
    let told = |status: Value| {
        let mut body = webhook(json!([]));
        body["entry"][0]["changes"][0]["value"]["statuses"] = json!([status]);
        decode(&LineId::new("line"), NUMBER_ID, &body, NOW)
    };
    let status = |named: &str, over: Value| {
        let mut status = json!({
            "id": "wamid.A", "status": named, "timestamp": "1790000000",
            "recipient_id": "15550100", "biz_opaque_callback_data": "42",
        });
        for (key, value) in over.as_object().unwrap() {
            status[key] = value.clone();
        }
        status
    };
    let late = json!({"errors": [{"code": 131_047, "title": "Re-engagement message"}]});
    let other = json!({"errors": [{"code": 131_026, "title": "Message undeliverable",
        "error_data": {"details": "not on\nWhatsApp"}}]});
    let failed = |why: &str| Fate::Failed(why.to_owned());
    for (status, wanted) in [
        (status("sent", json!({})), Fate::Arrived),
        (status("delivered", json!({})), Fate::Arrived),
        (status("read", json!({})), Fate::Arrived),
        (status("failed", late), Fate::Late),
        (
            status("failed", other),
            failed("Message undeliverable: not on WhatsApp"),
        ),
        (status("failed", json!({})), failed("no reason given")),
    ] {
        // All steps of an arrival are one event.
        let named = match &wanted {
            Fate::Arrived => "arrived",
            Fate::Failed(_) | Fate::Late => "failed",
        };
        let event = told(status).remove(0);
        let what = EventKind::Delivery {
            message: MessageRef::new("wamid.A"),
            key: Some(42),
            fate: wanted,
        };
        assert_eq!(event.what, what);
        assert_eq!(event.id, EventId::new(format!("status/wamid.A/{named}")));
        assert_eq!(event.place.chat.as_str(), "15550100");
        assert_eq!(event.sender, Sender::Shared);
    }
    let key =
        json!({"biz_opaque_callback_data": "x", "recipient_id": null, "recipient_user_id": "US.1"});
    let event = told(status("delivered", key)).remove(0);
    assert_eq!(event.place.chat.as_str(), "US.1");
    assert!(matches!(event.what, EventKind::Delivery { key: None, .. }));
    for quiet in ["deleted", "nonsense", ""] {
        assert_eq!(told(status(quiet, json!({}))), []);
    }
}
