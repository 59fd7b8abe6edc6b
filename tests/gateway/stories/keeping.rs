//! What was stored is kept: upgraded, copied, checked, and swept in time.

use std::os::unix::fs::PermissionsExt;

use rusqlite::Connection;

use super::chat::Door;
use super::house::{House, OWNER, TOKEN};

const FIRST_STEP: &str = include_str!("../../../gateway/src/store/migrations/0001_door.sql");
const FIRST_ROWS: &str = include_str!("../../fixtures/store/step_1.sql");

/// A database as the first step of the program left it, with an owner and something waiting.
async fn of_the_first_step() -> House {
    let house = House::build().await;
    std::fs::create_dir_all(house.home.data()).unwrap();
    std::fs::set_permissions(house.home.data(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let database = house.database();
    database
        .execute_batch("CREATE TABLE step (number INTEGER PRIMARY KEY, checksum TEXT NOT NULL)")
        .unwrap();
    database.execute_batch(FIRST_STEP).unwrap();
    database.execute_batch(FIRST_ROWS).unwrap();
    let checksum = checksum(FIRST_STEP);
    database
        .execute("INSERT INTO step VALUES (1, ?1)", [checksum])
        .unwrap();
    house.fake().person(OWNER, "Anna");
    house
}

fn checksum(text: &str) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let sum = std::process::Command::new("sha256sum")
        .arg(file.path())
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    sum.split_whitespace().next().unwrap().to_owned()
}

#[tokio::test]
async fn a_database_of_the_first_step_is_brought_up_to_date_with_all_that_is_in_it() {
    let mut house = of_the_first_step().await;
    house.start().await;
    let user = fakes::telegram::User(OWNER);
    // It may write to whoever has written to it.
    house.fake().private_message(user, "recall gate");
    let chat = house.chat_of(user, user.direct());
    chat.told("the gate is green").await;
    assert_eq!(
        house.count("SELECT count(*) FROM entry WHERE seq <= 2 AND conversation = 1"),
        2
    );
    assert!(house.count("SELECT max(number) FROM step") > 1);
    let audit = house.cli(&["audit", "verify"]).await;
    assert_eq!(audit.code, 0, "{audit:?}");
}

#[tokio::test]
async fn an_older_program_refuses_a_newer_database_and_touches_nothing() {
    let (mut house, _chat) = House::with_owner(Door::Telegram).await;
    house.stop().await;
    house
        .database()
        .execute("INSERT INTO step VALUES (9999, 'later')", [])
        .unwrap();
    let text = "the database was made by a newer Postern (step 9999); start that version, or restore a backup";
    for arguments in [&["up"][..], &["backup", "copy.db"], &["audit", "verify"]] {
        let said = house.cli(arguments).await;
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.err.contains(text), "{said:?}");
    }
}

#[tokio::test]
async fn a_step_that_was_altered_is_refused() {
    let (mut house, _chat) = House::with_owner(Door::Telegram).await;
    house.stop().await;
    house
        .database()
        .execute("UPDATE step SET checksum = 'other' WHERE number = 1", [])
        .unwrap();
    let said = house.cli(&["up"]).await;
    let text = "step 1 of the database is not the one that this program knows; restore a backup";
    assert!(said.code == 1 && said.err.contains(text), "{said:?}");
}

#[tokio::test]
async fn a_backup_of_the_running_program_restores_all_but_what_must_stay() {
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    chat.say("remember the gate is green").await;
    chat.told("remembered").await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    let page = house.enter(Door::Web, 0, &house.new_code(None).await).await;
    page.say("/incognito").await;
    page.told("Incognito: no files").await;
    page.say("the whispered word").await;
    page.told("I heard you").await;
    house.all_sent().await;
    let file = house.home.path().join("copy.db");
    let path = file.to_str().unwrap();
    let said = house.cli(&["backup", path]).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("To restore it: stop Postern"), "{said:?}");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let bytes = std::fs::read(&file).unwrap();
    let holds = |text: &str| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    assert!(holds("the gate is green"));
    assert!(!holds("the whispered word") && !holds(TOKEN));
    assert!(!house.home.data().join("postern.db.copy").exists());

    let again = house.cli(&["backup", path]).await;
    assert!(
        again.code == 1
            && again
                .err
                .contains("is there already; name a file that is not"),
        "{again:?}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), bytes);

    house.stop().await;
    for name in ["postern.db", "postern.db-wal", "postern.db-shm"] {
        let _ = std::fs::remove_file(house.home.data().join(name));
    }
    std::fs::copy(&file, house.home.data().join("postern.db")).unwrap();
    house.start().await;
    chat.say("recall gate").await;
    chat.told("the gate is green").await;
    // What waited is closed: brought back later, it must not happen then.
    chat.press_token(&card, &card.token("Allow once")).await;
    chat.settle().await;
    assert_eq!(house.file("notes.txt"), None);
    let sound = house
        .database()
        .query_row("PRAGMA foreign_key_check", [], |row| {
            row.get::<_, String>(0)
        });
    assert_eq!(sound, Err(rusqlite::Error::QueryReturnedNoRows));
    let audit = house.cli(&["audit", "verify"]).await;
    assert_eq!(audit.code, 0, "{audit:?}");
}

#[tokio::test]
async fn a_backup_of_nothing_and_one_to_nowhere_say_what_to_do() {
    let mut house = House::build().await;
    let nothing = house.cli(&["backup", "copy.db"]).await;
    assert!(
        nothing.code == 1 && nothing.err.contains("start Postern with: postern"),
        "{nothing:?}"
    );
    house.start().await;
    let nowhere = house.home.path().join("no/such/folder/copy.db");
    let said = house.cli(&["backup", nowhere.to_str().unwrap()]).await;
    let folder = nowhere.parent().unwrap().display().to_string();
    let says =
        format!("postern: there is no folder {folder}; make it first, or name another file\n");
    assert_eq!((said.code, said.err), (1, says));
}

fn tamper(database: &Connection, change: &str) {
    database
        .execute_batch(&format!(
            "DROP TRIGGER audit_stands; DROP TRIGGER audit_stays; {change}"
        ))
        .unwrap();
}

#[tokio::test]
async fn the_audit_is_whole_until_somebody_changes_it_and_the_first_break_is_named() {
    for (change, why) in [
        (
            "UPDATE audit SET what = replace(what, 'owner', 'guest') WHERE seq = 3",
            "entry 3: it was changed after it was written",
        ),
        (
            "DELETE FROM audit WHERE seq = 2",
            "entry 3: an entry before it is missing",
        ),
        (
            "UPDATE audit SET previous = '' WHERE seq = 2",
            "entry 2: it does not follow the entry before it",
        ),
    ] {
        let (house, chat) = House::with_owner(Door::Telegram).await;
        chat.say("remember the gate is green").await;
        chat.told("remembered").await;
        let whole = house.cli(&["audit", "verify"]).await;
        assert_eq!(whole.code, 0, "{whole:?}");
        assert!(whole.out.starts_with("The audit is whole: "), "{whole:?}");
        tamper(&house.database(), change);
        let broken = house.cli(&["audit", "verify"]).await;
        assert_eq!(broken.code, 1, "{broken:?}");
        assert!(broken.err.contains(why), "{broken:?}");
    }
}

#[tokio::test]
async fn the_page_says_that_it_is_not_well_while_nothing_can_be_stored() {
    let (house, _chat) = House::with_owner(Door::Telegram).await;
    let well = |house: &House| {
        let address = format!("{}/healthz", house.world.base.lock().unwrap());
        let request = house.world.http.get(address);
        async move { request.send().await.unwrap().status() }
    };
    assert_eq!(well(&house).await, 200);
    let refuse =
        "CREATE TRIGGER full BEFORE INSERT ON pulse BEGIN SELECT RAISE (ABORT, 'full'); END";
    house.database().execute_batch(refuse).unwrap();
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while well(&house).await != 503 {
        assert!(
            std::time::Instant::now() < end,
            "it still says that it is well"
        );
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    house.database().execute_batch("DROP TRIGGER full").unwrap();
    while well(&house).await != 200 {
        assert!(
            std::time::Instant::now() < end,
            "it still says that it is not well"
        );
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}
