//! The folders are the owner's alone.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

use gateway::folder::{Folder, FolderError, Purpose};

#[test]
fn a_folder_is_made_for_its_owner_alone_with_all_that_leads_to_it() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b");
    Folder::open(Purpose::Data, &path).unwrap();
    for made in [root.path().join("a"), path] {
        assert_eq!(fs::metadata(made).unwrap().mode() & 0o777, 0o700);
    }
}

#[test]
fn looking_makes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a");
    assert_eq!(Folder::existing(Purpose::Data, &path).unwrap(), None);
    assert!(!path.exists());
}

#[test]
fn a_folder_that_others_can_enter_is_refused_with_the_command_that_mends_it() {
    for mode in [0o755, 0o710, 0o701, 0o770] {
        let root = tempfile::tempdir().unwrap();
        let path = made(&root.path().join("the owner's"), mode);
        assert_eq!(
            refused(&path),
            format!(
                "{at} can be entered by others (mode {mode:03o}); make it yours alone with: chmod 700 '{quoted}'",
                at = path.display(),
                quoted = path.display().to_string().replace('\'', r"'\''")
            )
        );
    }
}

#[test]
fn the_command_that_mends_a_folder_mends_it() {
    let root = tempfile::tempdir().unwrap();
    let path = made(&root.path().join("the owner's"), 0o755);
    let said = refused(&path);
    let (_, command) = said.split_once("with: ").unwrap();
    let done = std::process::Command::new("sh")
        .args(["-c", command])
        .status()
        .unwrap();
    assert!(done.success());
    assert!(Folder::open(Purpose::Data, &path).is_ok());
}

#[test]
fn a_link_is_refused_even_to_a_good_folder() {
    let root = tempfile::tempdir().unwrap();
    let good = made(&root.path().join("good"), 0o700);
    let link = root.path().join("link");
    symlink(good, &link).unwrap();
    let at = link.display();
    assert_eq!(
        refused(&link),
        format!(
            "{at} is a link, and what it points to can be changed behind it; set POSTERN_DATA to the real folder, or remove the link with: rm {at}"
        )
    );
}

#[test]
fn a_file_in_the_way_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    fs::write(&path, "").unwrap();
    let at = path.display();
    assert_eq!(
        refused(&path),
        format!(
            "{at} is not a folder; set POSTERN_DATA to a folder, or move what stands there away with: mv {at} {at}.old"
        )
    );
}

#[test]
fn a_folder_of_another_user_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let path = made(&root.path().join("theirs"), 0o700);
    let us = fs::metadata(&path).unwrap().uid();
    // Only root can give a folder away; anybody else looks at one that is root's.
    let (path, owner) = match chown(&path, Some(us + 4242), None) {
        Ok(()) => (path, us + 4242),
        Err(_) => ("/".into(), 0),
    };
    let at = path.display();
    assert_eq!(
        refused(&path),
        format!(
            "{at} belongs to user {owner}, not to you (user {us}); take it over with: sudo chown -R {us} {at}"
        )
    );
}

#[test]
fn a_folder_that_cannot_be_made_names_what_stands_in_the_way() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("file"), "").unwrap();
    let path = root.path().join("file/data");
    let at = path.display();
    assert_eq!(
        refused(&path),
        format!(
            "cannot use {at}: Not a directory (os error 20); check who owns it with: ls -ld {at}"
        )
    );
}

#[test]
fn one_process_holds_a_data_folder_and_lets_go_with_the_value() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("data");
    let open = || Folder::open(Purpose::Data, &path).unwrap();

    let held = open().hold().unwrap();
    assert!(matches!(open().hold(), Err(FolderError::Held(at)) if at == path));
    assert_eq!(
        fs::metadata(path.join("postern.lock")).unwrap().mode() & 0o777,
        0o600
    );
    drop(held);
    assert!(open().hold().is_ok());
}

#[test]
fn a_lock_file_that_is_a_link_is_not_followed() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("data");
    let folder = Folder::open(Purpose::Data, &path).unwrap();
    symlink(root.path().join("elsewhere"), path.join("postern.lock")).unwrap();
    assert!(matches!(folder.hold(), Err(FolderError::Io { .. })));
    assert!(!root.path().join("elsewhere").exists());
}

fn made(path: &Path, mode: u32) -> std::path::PathBuf {
    fs::create_dir(path).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    path.to_owned()
}

fn refused(path: &Path) -> String {
    Folder::open(Purpose::Data, path).unwrap_err().to_string()
}
