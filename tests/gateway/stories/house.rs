//! The real program on folders of its own, beside a Telegram of its own.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fakes::telegram::{Fake, User, WAIT};

use super::chat::{Chat, Door};
use super::platforms::{self, Platform};
use crate::keeper::Home;

/// The token that the program knows its bot by.
pub const TOKEN: &str = "123456:STORY";
/// Under which address platforms reach the program, where they do.
pub const PUBLIC: &str = "https://bot.example.org";
/// The owner's account on Telegram and elsewhere.
pub const OWNER: i64 = 7001;

/// What is there whether the program runs or not.
pub struct World {
    pub fake: Fake,
    /// The platform that this house has besides, if any.
    platform: Option<Box<dyn Platform>>,
    pub http: reqwest::Client,
    /// Where the page is; another port after each start.
    pub base: Mutex<String>,
}

impl World {
    /// The platform that this house has besides.
    pub fn platform(&self) -> &dyn Platform {
        self.platform.as_deref().expect("another platform")
    }
}

/// The program, and everything around it.
pub struct House {
    pub home: Home,
    pub world: Arc<World>,
    child: Option<Child>,
    banner: String,
    errors: Arc<Mutex<String>>,
    /// What stands in its environment besides.
    variables: Vec<(String, String)>,
}

/// What a command of the program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl House {
    /// Folders, a Telegram and a configuration; nothing runs yet.
    pub async fn build() -> Self {
        Self::build_for(Door::Telegram).await
    }

    /// As [`Self::build`], with the platform behind this door.
    pub async fn build_for(door: Door) -> Self {
        let home = Home::new();
        let fake = Fake::start(TOKEN).await;
        let token = home.path().join("token");
        std::fs::write(&token, TOKEN).unwrap();
        std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        home.configure(&format!(
            "[web]\nlisten = \"127.0.0.1:0\"\n[lines.phone]\nplatform = \"telegram\"\ntoken_file = \"{}\"\napi = \"{}\"\n",
            token.display(),
            fake.url()
        ));
        let platform = platforms::start(door).await;
        if let Some(platform) = &platform {
            let file = home.config().join("postern.toml");
            let known = std::fs::read_to_string(&file).unwrap();
            let settings = platform.settings(home.path());
            std::fs::write(&file, format!("{known}[lines.other]\n{settings}")).unwrap();
        }
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let world = World {
            fake,
            platform,
            http,
            base: Mutex::new(String::new()),
        };
        Self {
            home,
            world: Arc::new(world),
            child: None,
            banner: String::new(),
            errors: Arc::default(),
            variables: Vec::new(),
        }
    }

    /// Adds to the configuration before the program starts.
    pub fn configure_more(&self, text: &str) {
        let file = self.home.config().join("postern.toml");
        let before = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{before}{text}")).unwrap();
    }

    /// From its next start on, this stands in its environment.
    pub fn with_variable(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Lets Telegram come to a door, with these other settings of the line; from the next start.
    pub fn with_webhook(&self) {
        let known = std::fs::read_to_string(self.home.config().join("postern.toml")).unwrap();
        let line = known.replace("[lines.phone]", "[lines.phone]\nmode = \"webhook\"");
        self.home.configure(&format!(
            "{line}[webhooks]\nlisten = \"127.0.0.1:0\"\npublic = \"{PUBLIC}\"\n"
        ));
    }

    /// Lets the program ask for updates again; from the next start.
    pub fn with_polling(&self) {
        let known = std::fs::read_to_string(self.home.config().join("postern.toml")).unwrap();
        self.home
            .configure(&known.replace("mode = \"webhook\"", "mode = \"polling\""));
    }

    /// Where the doors of platforms are.
    pub fn doors(&self) -> String {
        let at = word_after(&self.banner, "webhooks  on   ").expect("an address of doors");
        format!("http://{}", at.trim_end_matches(','))
    }

    /// A house in which the program runs.
    pub async fn open() -> Self {
        Self::open_for(Door::Telegram).await
    }

    /// As [`Self::open`], with the platform behind this door.
    pub async fn open_for(door: Door) -> Self {
        let mut house = Self::build_for(door).await;
        house.start().await;
        house
    }

    /// A running house with an owner, and with more in its configuration.
    pub async fn configured(door: Door, more: &str) -> (Self, Chat) {
        let mut house = Self::build_for(door).await;
        let file = house.home.config().join("postern.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{text}{more}")).unwrap();
        house.start().await;
        let chat = house.enter(door, OWNER, &house.code()).await;
        (house, chat)
    }

    /// A running house with an owner who came through this door.
    pub async fn with_owner(door: Door) -> (Self, Chat) {
        let house = Self::open_for(door).await;
        let chat = house.enter(door, OWNER, &house.code()).await;
        (house, chat)
    }

    pub fn fake(&self) -> &Fake {
        &self.world.fake
    }

    /// Starts the program and waits until it says that it serves.
    pub async fn start(&mut self) {
        let mut command = self.home.command(&[]);
        command.envs(self.variables.clone());
        let serves = self.start_by(command).await;
        let said = format!("{}{}", self.banner, self.errors());
        assert!(serves, "it did not start: {said}");
    }

    /// Starts the program by this command; whether it came to serve.
    pub async fn start_by(&mut self, mut command: std::process::Command) -> bool {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = child.stdout.take().unwrap();
        let err = child.stderr.take().unwrap();
        let errors = self.errors.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(err).lines().map_while(Result::ok) {
                errors.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        self.child = Some(child);
        let (banner, rest) = tokio::task::spawn_blocking(move || {
            let mut out = BufReader::new(out);
            let mut banner = String::new();
            while !banner.ends_with("To stop: Ctrl-C\n") {
                if out.read_line(&mut banner).unwrap() == 0 {
                    break;
                }
            }
            (banner, out)
        })
        .await
        .unwrap();
        // Read on, so that the program never waits for its terminal.
        std::thread::spawn(move || std::io::copy(&mut { rest }, &mut std::io::sink()));
        let serves = banner.ends_with("To stop: Ctrl-C\n");
        if serves {
            let base = word_after(&banner, "web chat  on   ").expect("the address of the page");
            *self.world.base.lock().unwrap() = base.trim_end_matches('/').to_owned();
        }
        self.banner = banner;
        if self.banner.contains("webhooks  on   ") {
            self.fake().route(PUBLIC, &self.doors());
        }
        if let Some(platform) = self.world.platform.as_deref().filter(|_| serves) {
            let doors = self.banner.contains("webhooks  on   ");
            platform.serves(doors.then(|| self.doors()).as_deref());
        }
        serves
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.as_ref().expect("a running program").id()
    }

    /// Ends it as a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Ends it as the owner would.
    pub async fn stop(&mut self) {
        let mut child = self.child.take().expect("a running program");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status = tokio::task::spawn_blocking(move || child.wait().unwrap())
            .await
            .unwrap();
        assert!(status.success(), "{status}: {}", self.errors());
    }

    pub async fn kill_and_start(&mut self) {
        self.kill();
        self.start().await;
    }

    /// The first owner code, as the terminal shows it.
    pub fn code(&self) -> String {
        word_after(&self.banner, "send /pair ").expect("an owner code in the banner")
    }

    /// Everything printed at the start.
    pub fn banner(&self) -> &str {
        &self.banner
    }

    /// What whoever watches the terminal has read besides.
    pub fn errors(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    /// A command of the program, typed in another terminal.
    pub async fn cli(&self, arguments: &[&str]) -> Printed {
        let output = self.home.run(arguments).await;
        Printed {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A new code, made at the terminal.
    pub async fn new_code(&self, guest: Option<&str>) -> String {
        let said = match guest {
            Some(name) => self.cli(&["pair", "--guest", name]).await,
            None => self.cli(&["pair"]).await,
        };
        word_after(&said.out, "Code ").unwrap_or_else(|| panic!("no code: {said:?}"))
    }

    /// Somebody comes in with a code. `account` is theirs on Telegram.
    pub async fn enter(&self, door: Door, account: i64, code: &str) -> Chat {
        match door {
            Door::Discord | Door::Slack | Door::WhatsApp => {
                let platform = self.world.platform();
                platform.enter(account);
                let hears = soon(|| platform.hears().then_some(()));
                assert!(hears.await.is_some(), "nobody hears: {}", self.errors());
                platform.say(account, &format!("/pair {code}"));
                let chat = Chat::platform(self.world.clone(), door, account);
                chat.told("You are paired").await;
                chat
            }
            Door::Telegram => {
                let user = self.fake().person(account, "Somebody");
                self.fake().private_message(user, &format!("/pair {code}"));
                let chat = Chat::telegram(self.world.clone(), user, user.direct());
                chat.told("You are paired").await;
                chat
            }
            Door::Web => Chat::web(self.world.clone(), code)
                .await
                .expect("a code that lets in"),
        }
    }

    /// The same person's chat elsewhere on Telegram.
    pub fn chat_of(&self, user: User, chat: fakes::telegram::Chat) -> Chat {
        Chat::telegram(self.world.clone(), user, chat)
    }

    /// A file of this name in any workspace.
    pub fn file(&self, name: &str) -> Option<String> {
        let found = self.workspaces().into_iter().map(|at| at.join(name));
        found
            .into_iter()
            .find_map(|at| std::fs::read_to_string(at).ok())
    }

    /// Writes into the one workspace from outside, as the owner's editor would.
    pub fn write_outside(&self, name: &str, text: &str) {
        let mut workspaces = self.workspaces();
        assert_eq!(workspaces.len(), 1, "one workspace: {workspaces:?}");
        std::fs::write(workspaces.remove(0).join(name), text).unwrap();
    }

    fn workspaces(&self) -> Vec<PathBuf> {
        let Ok(all) = std::fs::read_dir(self.home.data().join("workspaces")) else {
            return Vec::new();
        };
        all.map(|entry| entry.unwrap().path()).collect()
    }

    /// The owner's rules, as they are saved.
    pub fn policy(&self) -> Option<String> {
        std::fs::read_to_string(self.home.config().join("policy.json")).ok()
    }

    /// The owner's rules, as soon as there are any.
    pub async fn policy_soon(&self) -> String {
        soon(|| self.policy()).await.expect("saved rules")
    }

    /// Waits until the newest words are stored and the model is at them.
    pub async fn thinks(&self) {
        let unseen =
            "SELECT count(*) FROM conversation WHERE ended IS NULL AND (SELECT open FROM entry
            WHERE conversation = conversation.id ORDER BY seq DESC LIMIT 1) = 1";
        let thinking = soon(|| (self.count(unseen) > 0).then_some(()));
        assert!(thinking.await.is_some(), "nothing is being thought");
        // Between the row and the first thought lies nothing that could be waited for.
        tokio::time::sleep(Duration::from_millis(300)).await;
    }

    /// The database, for looking and, while nothing runs, for leaving it as a crash would.
    pub fn database(&self) -> rusqlite::Connection {
        let database = rusqlite::Connection::open(self.home.data().join("postern.db")).unwrap();
        database.busy_timeout(WAIT).unwrap();
        database
    }

    /// One number out of the database.
    pub fn count(&self, query: &str) -> i64 {
        self.database()
            .query_row(query, [], |row| row.get(0))
            .unwrap()
    }

    /// Waits until whoever watches the terminal has read this.
    pub async fn terminal_says(&self, text: &str) {
        let said = soon(|| self.errors().contains(text).then_some(())).await;
        assert!(said.is_some(), "{text:?} not in {:?}", self.errors());
    }

    /// Waits until everything that is on a screen is known to be there: a crash before that shows
    /// a card a second time.
    pub async fn all_sent(&self) {
        let unsent = "SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending')";
        let sent = soon(|| (self.count(unsent) == 0).then_some(()));
        assert!(
            sent.await.is_some(),
            "letters stay unsent: {}",
            self.errors()
        );
    }

    /// Waits until Telegram has been told that everything was heard, and all that was done on the
    /// other platform is stored.
    pub async fn all_heard(&self) {
        if let Some(platform) = &self.world.platform {
            let events = platform.events();
            let ids = serde_json::to_string(&events).unwrap();
            let stored = format!(
                "SELECT count(*) FROM event WHERE id IN (SELECT value FROM json_each('{ids}'))"
            );
            let wanted = i64::try_from(events.len()).unwrap();
            let heard = soon(|| (self.count(&stored) == wanted).then_some(()));
            assert!(
                heard.await.is_some(),
                "events stay unheard: {}",
                self.errors()
            );
        }
        let heard = self
            .fake()
            .wait_until(WAIT, || (self.fake().waiting() == 0).then_some(()))
            .await;
        assert!(heard.is_some(), "updates stay unheard: {}", self.errors());
    }
}

/// Looks until there is something, for as long as anything takes that happens at all.
pub async fn soon<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + WAIT;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() > end {
            return None;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn word_after(text: &str, before: &str) -> Option<String> {
    let (_, rest) = text.split_once(before)?;
    rest.split_whitespace().next().map(ToOwned::to_owned)
}
