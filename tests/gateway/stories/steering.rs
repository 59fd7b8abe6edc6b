//! What is written while something is being done joins it, and `/stop` ends it at once.

on_both! {
    async fn what_is_written_during_a_turn_joins_it_and_the_chat_says_so_once(house, chat) {
        chat.say("wait 50\nremember the first").await;
        house.thinks().await;
        chat.say("remember the second").await;
        chat.told_times("remembered", 1).await;
        chat.settle().await;
        assert_eq!(chat.times("Changing course…").await, 1);
        assert_eq!(house.count("SELECT count(*) FROM memory"), 2);
    }
}

on_both! {
    async fn what_joins_an_order_is_answered_beside_it(house, chat) {
        chat.say("wait 50\nremember the first").await;
        house.thinks().await;
        chat.say("say here I am").await;
        chat.told("here I am").await;
        chat.told("remembered").await;
        chat.settle().await;
        assert_eq!(chat.times("here I am").await, 1);
        assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    }
}

on_both! {
    async fn the_words_may_take_back_what_they_interrupt(house, chat) {
        chat.say("wait 50\nremember the first").await;
        house.thinks().await;
        chat.say("never mind").await;
        chat.told("I heard you.").await;
        chat.settle().await;
        assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
    }
}

on_both! {
    async fn stop_ends_a_thought_at_once(house, chat) {
        chat.say("wait 50\nremember the first").await;
        house.thinks().await;
        chat.say("/stop").await;
        chat.told("Stopped.").await;
        chat.settle().await;
        assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
        assert_eq!(chat.times("Changing course…").await, 0);
    }
}

on_both! {
    async fn a_message_during_an_open_question_joins_the_turn_and_the_agent_may_withdraw_its_call(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.say("withdraw it").await;
        chat.closed(&card, "Withdrawn by the agent; it did not run").await;
        chat.press_token(&card, &card.token("Allow once")).await;
        chat.settle().await;
        assert_eq!(house.file("notes.txt"), None);
        assert_eq!(house.count("SELECT count(*) FROM question WHERE state = '\"Withdrawn\"'"), 1);
    }
}

on_both! {
    async fn a_thought_that_a_crash_cut_short_is_thought_again(house, chat) {
        chat.say("wait 2\nremember the first").await;
        house.thinks().await;
        house.kill_and_start().await;
        chat.told("remembered").await;
        assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    }
}

on_both! {
    async fn one_chat_that_thinks_holds_up_no_other(house, chat) {
        chat.say("wait 50\nremember the first").await;
        house.thinks().await;
        let code = house.new_code(Some("Ana")).await;
        let guest = house.enter(chat.door(), 7002, &code).await;
        guest.say("remember the second").await;
        guest.told("remembered").await;
        chat.say("/stop").await;
        chat.told("Stopped.").await;
    }
}
