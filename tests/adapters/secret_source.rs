//! Where a secret may stand, and what is said when it does not stand there.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use adapters::{SecretError, SecretSource, quoted};

const SECRET: &str = "123456:SECRET";

/// A folder that goes with its value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let at = std::env::temp_dir().join(format!("postern-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&at).unwrap();
        Self(at)
    }

    fn holding(&self, name: &str, text: &[u8]) -> PathBuf {
        let file = self.0.join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn file(at: &Path) -> SecretSource {
    SecretSource::one_of("token", Some(at), None, None)
        .unwrap()
        .unwrap()
}

fn variable(name: &str) -> SecretSource {
    SecretSource::one_of("token", None, Some(name), None)
        .unwrap()
        .unwrap()
}

fn credential(name: &str) -> SecretSource {
    SecretSource::one_of("token", None, None, Some(name))
        .unwrap()
        .unwrap()
}

/// What is read where the environment holds these.
fn read(source: &SecretSource, environment: &[(&str, &str)]) -> Result<String, String> {
    let variable = |name: &str| {
        let found = environment.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| (*text).to_owned())
    };
    match source.read("the token", variable) {
        Ok(secret) => Ok(secret.reveal().clone()),
        Err(SecretError(why)) => Err(why),
    }
}

#[test]
fn a_secret_is_read_from_a_file_a_variable_or_a_credential_without_the_blanks_around_it() {
    let folder = Folder::new("secret-read");
    let at = folder.holding("token", format!(" {SECRET}\r\n").as_bytes());
    let handed = folder.0.display().to_string();
    let environment = [("CREDENTIALS_DIRECTORY", &*handed), ("TOKEN", SECRET)];
    for source in [file(&at), variable("TOKEN"), credential("token")] {
        assert_eq!(
            read(&source, &environment),
            Ok(SECRET.to_owned()),
            "{source}"
        );
    }
}

#[test]
fn nothing_set_is_no_source_and_two_are_one_too_many() {
    let one_of = |file, variable, credential| {
        let file: Option<&str> = file;
        SecretSource::one_of("key", file.map(Path::new), variable, credential)
    };
    assert_eq!(one_of(None, None, None), Ok(None));
    let said = |first: &str, second: &str| {
        Err(SecretError(format!(
            "key_{first} and key_{second} are both set; keep one of them"
        )))
    };
    assert_eq!(one_of(Some("a"), Some("b"), None), said("file", "env"));
    assert_eq!(
        one_of(None, Some("b"), Some("c")),
        said("env", "credential")
    );
    assert_eq!(
        one_of(Some("a"), None, Some("c")),
        said("file", "credential")
    );
    assert_eq!(one_of(Some("a"), Some("b"), Some("c")), said("file", "env"));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_what_mends_it() {
    let folder = Folder::new("secret wrong");
    let at = folder.holding("token", b" \n");
    let shown = at.display();
    let says = |how: String| Err(format!("token_file {shown} {how}"));
    let empty = says("is empty; put the token into it".to_owned());
    assert_eq!(read(&file(&at), &[]), empty);
    folder.holding("token", &[0xff, 0xfe]);
    let no_text = says("cannot be read (it is not text); write the token into it".to_owned());
    assert_eq!(read(&file(&at), &[]), no_text);
    folder.holding("token", &[b'x'; 20_000]);
    let long = says("is too long; put the token into it alone".to_owned());
    assert_eq!(read(&file(&at), &[]), long);
    std::fs::set_permissions(&at, PermissionsExt::from_mode(0o640)).unwrap();
    let loose = says(format!(
        "can be read by others; make it yours alone with: chmod 600 {}",
        quoted(&at)
    ));
    assert_eq!(read(&file(&at), &[]), loose);
    assert!(quoted(&at).starts_with('\''));
    std::fs::remove_file(&at).unwrap();
    let gone = says("cannot be read (there is no such file); write the token into it".to_owned());
    assert_eq!(read(&file(&at), &[]), gone);
}

#[test]
fn what_is_wrong_with_a_variable_or_a_credential_is_said_with_what_mends_it() {
    let folder = Folder::new("secret-handed");
    let handed = folder.0.display().to_string();
    let here = [("CREDENTIALS_DIRECTORY", &*handed)];
    let unset = "token_env TOKEN is not set; export it with the token, or set token_file";
    assert_eq!(read(&variable("TOKEN"), &[]), Err(unset.to_owned()));
    assert_eq!(
        read(&variable("TOKEN"), &[("TOKEN", " ")]),
        Err(unset.to_owned())
    );
    let how = "add LoadCredential=phone:/its/file to the unit, or set token_file";
    for (environment, why) in [
        (&[][..], "systemd hands over no credentials here"),
        (
            &[("CREDENTIALS_DIRECTORY", "")],
            "systemd hands over no credentials here",
        ),
        (&here, "there is no such file"),
    ] {
        assert_eq!(
            read(&credential("phone"), environment),
            Err(format!(
                "token_credential phone cannot be read ({why}); {how}"
            ))
        );
    }
    for name in ["", "..", ".", "../../etc/shadow", "/etc/shadow"] {
        let said = read(&credential(name), &here).unwrap_err();
        assert!(
            said.ends_with(
                "is no name of a credential; write it as LoadCredential= does, without a slash"
            ),
            "{said}"
        );
    }
}
