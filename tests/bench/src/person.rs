//! Who talks to the measured program? One paired person on a Telegram that answers at once.

use std::path::Path;
use std::time::{Duration, Instant};

use fakes::telegram::{Fake, User, WAIT};

use crate::home::{Home, PUBLIC, Running, TOKEN};

/// A paired person, and what they talk to.
pub struct Paired {
    pub fake: Fake,
    pub anna: User,
    pub home: Home,
    pub running: Running,
}

/// Starts everything and pairs.
pub async fn paired(program: &Path) -> Paired {
    let fake = Fake::start(TOKEN).await;
    let home = Home::new(program, Some(fake.url()));
    enter(fake, home).await
}

/// As [`paired`], with a door to which Telegram comes.
pub async fn with_door(program: &Path) -> Paired {
    let fake = Fake::start(TOKEN).await;
    let home = Home::new(program, Some(fake.url()));
    home.open_door();
    fake.route(PUBLIC, &format!("http://{}", home.doors));
    enter(fake, home).await
}

async fn enter(fake: Fake, home: Home) -> Paired {
    let anna = fake.person(7001, "Anna");
    let mut running = home.start();
    home.serving(&mut running).await;
    let code = running.code();
    fake.private_message(anna, &format!("/pair {code}"));
    fake.wait_for(anna.direct(), |shown| shown.text.contains("paired"), WAIT)
        .await;
    let paired = Paired {
        fake,
        anna,
        home,
        running,
    };
    paired.quiet().await;
    paired
}

impl Paired {
    /// Says something and waits until it was answered and stored.
    pub async fn say_and_hear(&self) {
        self.ask("hello").await;
        self.quiet().await;
    }

    /// The same after the program was killed, this was done, and it was started again.
    pub async fn restarted(self, meanwhile: impl FnOnce(&Home)) -> Self {
        self.running.kill();
        meanwhile(&self.home);
        let mut running = self.home.start();
        self.home.serving(&mut running).await;
        Self { running, ..self }
    }

    /// Says something and waits for the reply; milliseconds from handing the update out to the
    /// reply's arrival.
    pub async fn ask(&self, text: &str) -> f64 {
        let before = self.fake.arrivals("sendmessage");
        self.fake.private_message(self.anna, text);
        self.since_handed("sendmessage", before).await
    }

    /// Waits for a call; milliseconds from handing the last update out to its arrival.
    pub async fn since_handed(&self, method: &str, before: usize) -> f64 {
        let asked = Instant::now();
        let arrived = self
            .fake
            .wait_until(WAIT, || self.fake.arrival(method, before))
            .await
            .expect("an answer of the bot");
        // At a door nothing waits to be handed out.
        let handed = self.fake.handed_at().unwrap_or(asked);
        crate::figure::ms(arrived.saturating_duration_since(handed))
    }

    /// Waits until what follows a reply is stored too.
    pub async fn quiet(&self) {
        tokio::time::sleep(Duration::from_millis(12)).await;
    }
}
