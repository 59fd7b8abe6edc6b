//! The agent asks in its own name, and the person's press is the answer.

use crate::stories::chat::Seen;

fn asks(seen: &Seen) -> bool {
    seen.text.contains("The agent asks: ") && !seen.buttons.is_empty()
}

on_both! {
    async fn the_agents_question_says_whose_it_is_and_one_press_answers_it(house, chat) {
        chat.say("ask Tea or coffee?: Tea | Coffee").await;
        let asked = chat.sees("question", asks).await;
        assert!(asked.text.contains("The agent asks: Tea or coffee?"), "{asked:?}");
        assert_eq!(asked.labels(), ["Tea", "Coffee", "Something else"]);
        house.kill_and_start().await;
        chat.press(&asked, "Coffee").await;
        chat.closed(&asked, "Coffee: chosen by owner").await;
        chat.told("the person chose: Coffee").await;
        chat.press_token(&asked, &asked.token("Tea")).await;
        chat.settle().await;
        assert_eq!(chat.times("the person chose: Tea").await, 0);
        assert_eq!(house.count("SELECT count(*) FROM conversation WHERE taint LIKE '%Few%'"), 0);
    }
}

on_both! {
    async fn something_else_makes_the_next_message_the_answer(_house, chat) {
        chat.say("ask Tea or coffee?: Tea | Coffee").await;
        let asked = chat.sees("question", asks).await;
        chat.press(&asked, "Something else").await;
        chat.closed(&asked, "write it as your next message").await;
        chat.say("say water then").await;
        chat.told("water then").await;
    }
}

on_both! {
    async fn a_button_like_ours_is_not_asked_and_the_agent_is_told(house, chat) {
        for label in ["Allow once", "Al1ow", "Аllow", "Deny"] {
            chat.say(&format!("ask Fine?: Yes | {label}")).await;
            chat.told(&format!("{label:?} looks like a button of the gateway's own")).await;
        }
        assert_eq!(house.count("SELECT count(*) FROM question"), 0);
    }
}

on_both! {
    async fn a_question_that_nobody_answers_ends_and_is_no_refusal(house, chat) {
        chat.say("ask Tea or coffee?: Tea | Coffee").await;
        let asked = chat.sees("question", asks).await;
        house.database().execute("UPDATE question SET ends_at = 1", []).unwrap();
        chat.closed(&asked, "Nobody answered in time").await;
        chat.told("nobody answered in time; that is no refusal").await;
        chat.press_token(&asked, &asked.token("Tea")).await;
        chat.settle().await;
        assert_eq!(chat.times("the person chose").await, 0);
    }
}

on_both! {
    async fn somebody_elses_press_answers_no_question_of_the_agent(house, chat) {
        let code = house.new_code(Some("Ana")).await;
        let guest = house.enter(chat.door(), 7002, &code).await;
        let theirs = guest.told("You are paired").await;
        chat.say("ask Tea or coffee?: Tea | Coffee").await;
        let asked = chat.sees("question", asks).await;
        guest.press_token(&theirs, &asked.token("Tea")).await;
        guest.say("/why").await;
        guest.told("This conversation is fresh").await;
        chat.press(&asked, "Coffee").await;
        chat.told("the person chose: Coffee").await;
        assert_eq!(chat.times("the person chose: Tea").await, 0);
    }
}

on_both! {
    async fn stop_withdraws_the_agents_question(_house, chat) {
        chat.say("ask Tea or coffee?: Tea | Coffee").await;
        let asked = chat.sees("question", asks).await;
        chat.say("/stop").await;
        chat.closed(&asked, "stopped").await;
        chat.press_token(&asked, &asked.token("Tea")).await;
        chat.settle().await;
        assert_eq!(chat.times("the person chose").await, 0);
    }
}
