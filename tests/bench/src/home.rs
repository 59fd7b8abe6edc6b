//! Where does a measured program live, and how is it started and ended?

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The token of the one Telegram line.
pub const TOKEN: &str = "123456:BENCH";

/// A configuration and a data folder of their own, on the disk that the build is on.
pub struct Home {
    folder: TempDir,
    program: PathBuf,
    /// Where the page is.
    pub at: SocketAddr,
}

/// A running program. It is killed when this is dropped.
pub struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    /// When it was started.
    pub begun: Instant,
}

impl Home {
    /// A home with the web chat, and a Telegram line where its Bot API is given.
    pub fn new(program: &Path, telegram: Option<&str>) -> Self {
        let beside = program.parent().expect("a program lies in a folder");
        let folder = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(beside)
            .expect("a folder beside the program");
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let at = free.local_addr().expect("a bound port");
        drop(free);
        let home = Self {
            folder,
            program: program.to_owned(),
            at,
        };
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(home.config())
            .expect("a fresh folder");
        let mut settings = format!("[web]\nlisten = \"{at}\"\n");
        if let Some(api) = telegram {
            let token = home.config().join("token");
            home.write(&token, TOKEN);
            settings.push_str(&format!(
                "[lines.telegram]\nplatform = \"telegram\"\napi = \"{api}\"\ntoken_file = \"{}\"\n",
                token.display()
            ));
        }
        home.write(&home.config().join("postern.toml"), &settings);
        home
    }

    /// The folder that holds all of it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.data().join("postern.db")
    }

    /// Takes the data folder away.
    pub fn forget(&self) {
        std::fs::remove_dir_all(self.data()).expect("a data folder that was made");
    }

    /// Starts the program.
    pub fn start(&self) -> Running {
        self.start_by(Command::new(&self.program))
    }

    /// Starts the program while the `nth` call of each of its threads that is one of these fails
    /// with this error, by a tracer.
    pub fn start_failing(&self, calls: &str, error: &str, nth: usize) -> Running {
        let mut tracer = Command::new("strace");
        // -D: the program stays our own child, so that it is the program that is killed.
        tracer
            .args(["-D", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e"])
            .arg(format!("trace={calls}"))
            .args(["-e", &format!("inject={calls}:error={error}:when={nth}")])
            .arg(&self.program);
        self.start_by(tracer)
    }

    fn start_by(&self, mut command: Command) -> Running {
        let begun = Instant::now();
        let mut child = command
            .arg("up")
            .env("POSTERN_DATA", self.data())
            .env("POSTERN_CONFIG", self.config())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a program that starts");
        let out = child.stdout.take().expect("a piped output");
        Running {
            child,
            out: BufReader::new(out),
            begun,
        }
    }

    /// Opens a Code conversation in a folder, on pipes.
    pub fn terminal(&self, folder: &Path) -> Child {
        Command::new(&self.program)
            .args(["code", "--no-cheat-sheet"])
            .current_dir(folder)
            .env("POSTERN_DATA", self.data())
            .env("POSTERN_CONFIG", self.config())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a program that starts")
    }

    /// A new owner code, made at the terminal.
    pub fn code(&self) -> String {
        let made = Command::new(&self.program)
            .arg("pair")
            .env("POSTERN_DATA", self.data())
            .env("POSTERN_CONFIG", self.config())
            .output()
            .expect("a program that runs");
        let said = String::from_utf8_lossy(&made.stdout).into_owned();
        let (_, code) = said.split_once("Code ").expect("a code");
        code.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    /// Waits until the page says that all is well; how long that took since the start.
    pub async fn serving(&self, running: &mut Running) -> Duration {
        match self.serves(running).await {
            Some(took) => took,
            None => panic!("the program ended while it started"),
        }
    }

    /// As [`Home::serving`]; nothing when the program ended instead.
    pub async fn serves(&self, running: &mut Running) -> Option<Duration> {
        loop {
            if self.healthy() {
                return Some(running.begun.elapsed());
            }
            if let Ok(Some(_)) = running.child.try_wait() {
                return None;
            }
            assert!(
                running.begun.elapsed() < PATIENCE,
                "the program does not serve"
            );
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
    }

    /// Whether `/healthz` answers 200 now.
    pub fn healthy(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(self.at) else {
            return false;
        };
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let request = format!(
            "GET /healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            self.at
        );
        let mut head = [0; 12];
        stream.write_all(request.as_bytes()).is_ok()
            && stream.read_exact(&mut head).is_ok()
            && head == *b"HTTP/1.1 200"
    }

    fn config(&self) -> PathBuf {
        self.folder().join("config")
    }

    fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    fn write(&self, path: &Path, text: &str) {
        let mut file = std::fs::OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(path)
            .expect("a fresh file");
        file.write_all(text.as_bytes()).expect("room for a file");
    }
}

impl Running {
    /// Reads the first owner code off the terminal.
    pub fn code(&mut self) -> String {
        let mut line = String::new();
        while self.out.read_line(&mut line).expect("readable output") > 0 {
            if let Some((_, rest)) = line.split_once("/pair ") {
                return rest.split(' ').next().unwrap_or_default().to_owned();
            }
            line.clear();
        }
        panic!("the program showed no code");
    }

    /// Waits until it has said all that it says when it starts.
    pub fn greeted(&mut self) {
        let mut line = String::new();
        while self.out.read_line(&mut line).expect("readable output") > 0 {
            if line.starts_with("To stop") {
                return;
            }
            line.clear();
        }
        panic!("the program ended while it greeted");
    }

    /// Ends it as a power cut would.
    pub fn kill(mut self) {
        self.end();
    }

    /// Its memory in MiB, by the field of `smaps_rollup`.
    pub fn memory(&self, field: &str) -> f64 {
        let path = format!("/proc/{}/smaps_rollup", self.child.id());
        let text = std::fs::read_to_string(path).expect("a process that runs");
        let mut fields = text.lines().filter_map(|line| line.split_once(':'));
        let (_, value) = fields
            .find(|(name, _)| *name == field)
            .expect("a field that the kernel knows");
        let kib: f64 = value
            .trim()
            .trim_end_matches(" kB")
            .trim()
            .parse()
            .expect("a number");
        kib / 1024.0
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

const PATIENCE: Duration = Duration::from_secs(20);
