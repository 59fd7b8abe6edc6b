//! Which certificate is shown? The one in the owner's files, read again when they change, so that a
//! renewed one needs no restart.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

use crate::config::TlsFiles;
use adapters::quoted;

/// How often the files are looked at, at most.
const LOOK: Duration = Duration::from_secs(1);

/// The certificate of a listener.
#[derive(Debug)]
struct Tls {
    files: TlsFiles,
    shown: Mutex<Shown>,
}

#[derive(Debug)]
struct Shown {
    certificate: Arc<CertifiedKey>,
    looked: Instant,
    of: [Stamp; 2],
}

/// By what a file is known to be another one.
type Stamp = (u64, u64, i64, i64);

/// The files of a listener cannot be used. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// Others could have read the key.
    #[error("tls.key_file {} can be read by others; make it yours alone with: chmod 600 {}", .0.display(), quoted(.0))]
    Loose(PathBuf),
    /// They do not belong together.
    #[error("tls.certificate_file {} is no certificate of the key in tls.key_file {}; name two that were made together", .0.certificate_file.display(), .0.key_file.display())]
    Mismatch(TlsFiles),
    /// It holds nothing of the kind.
    #[error("{what} {} holds none in PEM; it begins with -----BEGIN", .file.display())]
    Nothing {
        /// The setting.
        what: &'static str,
        /// The file.
        file: PathBuf,
    },
    /// The library refuses.
    #[error("tls cannot be set up: {0}")]
    Refused(#[from] rustls::Error),
    /// It cannot be read.
    #[error("{what} {} cannot be read: {why}", .file.display())]
    Unreadable {
        /// The setting.
        what: &'static str,
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: String,
    },
}

/// Reads the files, and answers connections with what they hold.
///
/// # Errors
/// When one is missing or holds something else, when others may read the key, or when they do not
/// belong together.
pub fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, TlsError> {
    let tls = Tls {
        shown: Mutex::new(Shown {
            of: stamps(files)?,
            certificate: Arc::new(certificate(files)?),
            looked: Instant::now(),
        }),
        files: files.clone(),
    };
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(tls));
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

impl Tls {
    /// The certificate of this moment. Files that cannot be used change nothing.
    fn now(&self) -> Arc<CertifiedKey> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.looked.elapsed() >= LOOK {
            shown.looked = Instant::now();
            match stamps(&self.files) {
                Ok(of) if of == shown.of => {}
                found => match found.and_then(|of| Ok((of, certificate(&self.files)?))) {
                    Ok((of, certificate)) => {
                        shown.of = of;
                        shown.certificate = Arc::new(certificate);
                        tracing::info!("a new certificate is shown");
                    }
                    Err(error) => tracing::error!(%error, "the certificate of before stays"),
                },
            }
        }
        shown.certificate.clone()
    }
}

impl ResolvesServerCert for Tls {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.now())
    }
}

const CERTIFICATE: &str = "tls.certificate_file";
const KEY: &str = "tls.key_file";

fn stamps(files: &TlsFiles) -> Result<[Stamp; 2], TlsError> {
    let stamp = |what, file: &Path| {
        let found = fs::metadata(file).map_err(|why| unreadable(what, file, &why));
        found.map(|found| (found.ino(), found.len(), found.mtime(), found.mtime_nsec()))
    };
    Ok([
        stamp(CERTIFICATE, &files.certificate_file)?,
        stamp(KEY, &files.key_file)?,
    ])
}

fn certificate(files: &TlsFiles) -> Result<CertifiedKey, TlsError> {
    let (chain_at, key_at) = (&files.certificate_file, &files.key_file);
    let read = |what, file: &Path| fs::read(file).map_err(|why| unreadable(what, file, &why));
    let found = fs::metadata(key_at).map_err(|why| unreadable(KEY, key_at, &why))?;
    // One that is another's file, as a container engine mounts them, is left to its maker.
    let ours = found.uid() == rustix::process::geteuid().as_raw();
    if ours && found.mode() & 0o077 != 0 {
        return Err(TlsError::Loose(key_at.clone()));
    }
    let nothing = |what, file: &Path| TlsError::Nothing {
        what,
        file: file.to_owned(),
    };
    let chain = read(CERTIFICATE, chain_at)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&chain).collect();
    let chain = chain
        .ok()
        .filter(|chain| !chain.is_empty())
        .ok_or_else(|| nothing(CERTIFICATE, chain_at))?;
    let key = PrivateKeyDer::from_pem_slice(&read(KEY, key_at)?)
        .ok()
        .and_then(|key| ring::sign::any_supported_type(&key).ok())
        .ok_or_else(|| nothing(KEY, key_at))?;
    let certificate = CertifiedKey::new(chain, key);
    match certificate.keys_match() {
        Ok(()) => Ok(certificate),
        Err(_) => Err(TlsError::Mismatch(files.clone())),
    }
}

fn unreadable(what: &'static str, file: &Path, why: &std::io::Error) -> TlsError {
    TlsError::Unreadable {
        what,
        file: file.to_owned(),
        why: match why.kind() {
            ErrorKind::NotFound => "there is no such file".to_owned(),
            other => other.to_string(),
        },
    }
}
