//! The gateway: does what was judged.
//!
//! ```text
//!  adapter.listen --events--> inbox  Store::accept: claim, label, mark, admit, one transaction
//!                               |          |-> letters --> outbox --> adapter.send
//!                               |          '-> commands (in their turn), pairing
//!                               v
//!                        switchboard: one task per conversation
//!                               |
//!                        conversation: load -> Turn::next -> think | judge | resume | rest
//!                               |                               |
//!                             model                            gate: decide -> Permit -> tool
//!                                                                '-> question -> card -> outbox
//!  a press --> commands --> gate::press: redeem, close the question --> the conversation again
//! ```
//!
//! What must survive a restart is a row before anybody is told of it; see `store`.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use adapters::web::Web;
use bot_policy::secret::NotRedactable;
use tokio::sync::{Mutex, mpsc, watch};

pub mod agent;
mod answering;
pub mod budget;
mod chance;
pub mod cli;
mod clock;
pub mod code;
mod commands;
pub mod config;
mod console;
mod conversation;
mod course;
mod desk;
mod digest;
pub mod doctor;
mod ends;
mod extract;
pub mod folder;
mod gate;
mod holds;
mod home;
mod hooks;
mod house;
pub mod http;
mod inbox;
pub mod keep;
mod keeper;
mod lines;
pub mod listen;
mod metrics;
mod offers;
mod outbox;
mod outgoing;
mod preview;
mod project;
mod pulse;
mod receive;
mod replay;
mod rulebook;
pub mod secrets;
pub mod socket;
mod start;
mod store;
mod sweep;
pub mod token;
mod toolbox;
mod why;
pub mod writer;

use agent::model::{ModelSetupError, chosen};
use agent::tools::{Engine, ToolError};
use cli::banner::Banner;
use cli::qr::Room;
use config::Config;
use ends::expire;
use folder::DataFolder;
use house::House;
use http::admin::AdminToken;
use lines::{Lines, hear};
use rulebook::Rulebook;
use secrets::Secrets;
use store::Store;

/// The name of the one bot of this version; it stands in every record.
const BOT: &str = "postern";

/// The folder of the data folder that holds a folder for each place.
const WORKSPACES: &str = "workspaces";

/// How long letters that are under way may take when the program is told to stop.
const GRACE: Duration = Duration::from_secs(3);

/// What a gateway is started with.
pub struct Settings {
    /// The configuration.
    pub config: Config,
    /// The folder where it was found, and where the owner's rules are kept.
    pub config_folder: folder::Folder,
    /// The data folder, held.
    pub data: DataFolder,
    /// What must not get out; the secrets of the lines are added to it.
    pub secrets: Secrets,
    /// The room for a link drawn as a code, where somebody watches.
    pub room: Room,
    /// Called once, when everything serves.
    pub started: Box<dyn FnOnce(Banner) + Send>,
}

/// The gateway could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The web chat has nowhere to listen.
    #[error(transparent)]
    Bind(#[from] listen::BindError),
    /// The web chat cannot speak TLS.
    #[error("web.{0}")]
    Tls(#[from] http::tls::TlsError),
    /// The doors of platforms cannot be served.
    #[error(transparent)]
    Hook(#[from] hooks::HookError),
    /// A line cannot be set up.
    #[error(transparent)]
    Line(#[from] adapters::ConfigError),
    /// The admin token cannot be used.
    #[error(transparent)]
    AdminToken(#[from] http::admin::AdminTokenError),
    /// The model cannot be set up.
    #[error(transparent)]
    Model(#[from] ModelSetupError),
    /// A recording cannot be used.
    #[error(transparent)]
    Replay(#[from] replay::ReplayError),
    /// A secret cannot be kept from getting out.
    #[error(transparent)]
    Secret(#[from] NotRedactable),
    /// The page cannot be served.
    #[error("the web chat cannot be served: {0}")]
    Page(#[from] std::io::Error),
    /// The socket of the command line cannot be opened.
    #[error(transparent)]
    Socket(#[from] socket::SocketError),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// The search engine cannot be used as it is set up.
    #[error(transparent)]
    Search(#[from] config::SearchError),
    /// A tool cannot be set up.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The first owner code could not be made.
    #[error(transparent)]
    Code(#[from] socket::KeeperError),
}

/// Runs until `shutdown` is done.
///
/// # Errors
/// When it cannot start; the text says what to do.
pub async fn run(settings: Settings, shutdown: impl Future<Output = ()>) -> Result<(), RunError> {
    // Nobody else reads what is stored, whatever the folder's own mode.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let Settings {
        config,
        config_folder,
        data,
        secrets,
        room,
        started,
    } = settings;
    let bound = listen::bind(config.web.listen).await?;
    let tls = config.web.tls.as_ref().map(http::tls::acceptor);
    let tls = tls.transpose()?;
    let scheme = tls.as_ref().map_or("http", |_| "https");
    let web_address = format!("{scheme}://{}/", bound.at);
    let web = Arc::new(Web::default());
    web.set_base(&web_address);
    let doors = hooks::bind(&config).await?;
    let lines = lines::set_up(&config, data.path(), &web)?;
    let engine = config.search.as_ref().map(|search| search.engine());
    let engine = engine.transpose()?;
    let admin = config.web.admin_token.as_ref();
    let admin = admin.map(|source| AdminToken::read(source, &secrets));
    let admin = admin.transpose()?;
    let of_lines = lines.values().flat_map(|line| line.secrets());
    let of_engine = engine.iter().flat_map(Engine::secrets);
    let replay = replay::Replay::open(&config.replay)?;
    let mind = chosen(config.model.as_ref(), adapters::environment)?;
    let second = start::second(&config)?;
    let (second, keys) =
        second.map_or_else(Default::default, |second| (Some(second.model), second.keys));
    secrets.load(of_lines.chain(of_engine).chain(mind.keys).chain(keys))?;
    let terminal = Arc::new(Web::named(code::LINE));
    let lines = Lines::of(lines, terminal.clone());
    let faces = lines::Faces(lines.clone(), secrets.clone());
    let store = Store::open(&data.path().join("postern.db"), Arc::new(faces))?;
    let uploads = desk::uploads(data.path(), &store).await?;
    web.set_uploads(uploads.clone());
    let audit_key = store.audit_key().await?;
    let (letters, outbox) = mpsc::unbounded_channel();
    let sent = data.path().join("outgoing");
    lines.values().for_each(|line| line.set_outgoing(&sent));
    let files = toolbox::files(data.path(), &sent, &store, &letters);
    let cage = code::cage(&config, data.path(), config_folder.path()).await;
    let (signals, switchboard) = mpsc::unbounded_channel();
    let house = Arc::new(House {
        tools: toolbox::tools(&config, engine, &files, &store, &cage)?,
        files,
        uploads,
        sent,
        store,
        lines,
        terminal,
        terminals: code::Terminals::default(),
        cage,
        model: mind.model,
        budget: mind.budget,
        secrets,
        rulebook: Rulebook::new(config_folder.path()),
        ruled: std::sync::Mutex::default(),
        audit_key,
        judging: config.judging.clone(),
        second: gate::Second::new(second),
        sensitive: config.sensitive.clone(),
        replay,
        workspaces: data.path().join(WORKSPACES),
        letters,
        signals,
        states: watch::Sender::new(BTreeMap::new()),
        room,
        since: clock::now(),
        web_address,
        first_code: OnceLock::new(),
        holds: holds::Holds::default(),
        outbox_runs: AtomicBool::new(false),
        crashes: keep::Crashes::default(),
        pulse: pulse::Pulse::default(),
        answering: answering::Answering::default(),
    });
    let socket = socket::Socket::open(&data)?;
    start::note_settings(&house, &config).await?;
    house.store.forget_leases().await?;
    house.take_up().await?;
    house.store_written();

    let (stop, stopping) = watch::channel(());
    let (close, closing) = watch::channel(());
    let mut parts = tokio::task::JoinSet::new();
    let outbox = Arc::new(Mutex::new(outbox));
    part(&mut parts, &house, "the outbox", move |house| {
        let (outbox, closing) = (outbox.clone(), closing.clone());
        async move { outbox::run(house, &mut *outbox.lock().await, stopped(closing)).await }
    });
    let mut tasks = tokio::task::JoinSet::new();
    let switchboard = Arc::new(Mutex::new(inbox::Switchboard::new(switchboard)));
    part(&mut tasks, &house, "the switchboard", move |house| {
        let switchboard = switchboard.clone();
        async move { switchboard.lock().await.run(&house).await }
    });
    part(&mut tasks, &house, "the inbox", inbox::take_in_again);
    part(&mut tasks, &house, "the end of questions", expire);
    part(&mut tasks, &house, "the end of copies", outgoing::clear);
    part(&mut tasks, &house, "the broom", sweep::sweep);
    part(
        &mut tasks,
        &house,
        "the rules of answers",
        gate::save_rules_again,
    );
    for line in house.lines.values() {
        tasks.spawn(hear(house.clone(), line.clone()));
    }
    if let Some(token) = &admin {
        tasks.spawn(token.clone().watch());
    }
    let page = Arc::new(desk::Desk {
        admin,
        house: house.clone(),
        terminal: keeper::AtTerminal(house.clone()),
        web,
    });
    if let Some(at) = config.metrics {
        let bound = listen::bind(config::Listen::Configured(at)).await?;
        let (desk, stopping) = (page.clone(), stopping.clone());
        tasks.spawn(async move {
            let served = http::serve_metrics(bound.listener, desk, stopped(stopping)).await;
            if let Err(error) = served {
                tracing::error!(%error, "what was counted is not served");
            }
        });
    }
    let front = http::Front {
        listener: bound.listener,
        tls,
        proxies: Arc::new(http::Proxies::new(config.proxies.trusted.clone())),
    };
    let page = tokio::spawn(http::serve(
        front,
        page,
        config.origins(),
        stopped(stopping.clone()),
    ));
    let mut banner = start::banner(&house, &config, &config_folder, &data, bound.taken).await?;
    banner.model = mind.shown;
    banner.webhooks = hooks::shown(&config, doors.as_ref());
    let porch = hooks::serve(house.clone(), doors, stopped(stopping.clone()));
    let porch = tokio::spawn(porch);
    started(banner);
    let terminal = keeper::AtTerminal(house.clone());
    tokio::select! {
        () = socket.serve(&terminal) => {}
        () = shutdown => {}
    }
    drop(stop);
    tasks.shutdown().await;
    // Both give what came to them this long. What was stored is safe whatever happens now; the
    // rest only spares a repeated send.
    let _ = tokio::join!(page, porch);
    drop(close);
    let _ = tokio::time::timeout(GRACE, parts.join_next()).await;
    parts.shutdown().await;
    Ok(())
}

/// Runs a part for as long as the program runs, whatever becomes of it.
fn part<F, Made>(
    tasks: &mut tokio::task::JoinSet<()>,
    house: &Arc<House>,
    name: &'static str,
    mut begin: F,
) where
    F: FnMut(Arc<House>) -> Made + Send + 'static,
    Made: Future<Output = ()> + Send + 'static,
{
    let house = house.clone();
    tasks.spawn(async move {
        house.crashes.keep(name, || begin(house.clone())).await;
    });
}

async fn stopped(mut stopping: watch::Receiver<()>) {
    // Ends when the sender is dropped.
    while stopping.changed().await.is_ok() {}
}
