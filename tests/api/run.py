"""Does the API do what its own document says, whatever is sent to it? A real Postern is started, a
program gets a token, and schemathesis makes requests up from the document that is served."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ADMIN = "correct-horse-battery-staple"


class House:
    """A running Postern on folders of its own, with an owner."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.environment = os.environ | {
            "POSTERN_DATA": f"{folder}/data",
            "POSTERN_CONFIG": f"{folder}/config",
        }
        for key in ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY"):
            self.environment[key] = ""
        os.makedirs(f"{folder}/config", mode=0o700)
        for name, text in (
            ("admin", ADMIN),
            ("postern.toml", f'[web]\nlisten = "127.0.0.1:0"\nadmin_token_file = "{folder}/config/admin"\n'),
        ):
            path = pathlib.Path(folder, "config", name)
            path.touch(mode=0o600)
            path.write_text(text)
        self.running = subprocess.Popen(
            [program, "up"], env=self.environment, stdout=subprocess.PIPE, text=True
        )
        banner = ""
        while not banner.endswith("To stop: Ctrl-C\n"):
            line = self.running.stdout.readline()
            if not line:
                sys.exit(f"api: Postern did not start: {banner}")
            banner += line
        self.base = re.search(r"http://127\.0\.0\.1:\d+", banner).group()

    def become_owner(self):
        """Signs a browser in as the owner; there is one from then on."""
        host = self.base.removeprefix("http://")
        browser = http.client.HTTPConnection(host, timeout=10)
        headers = {"Origin": self.base, "Content-Type": "application/json"}
        browser.request("POST", "/api/sign-in", json.dumps({"token": ADMIN}), headers)
        answer = browser.getresponse()
        if answer.status != 200:
            sys.exit(f"api: the admin token lets nobody in: {answer.status} {answer.read()}")

    def token(self):
        """A program's token, made at the terminal."""
        made = [self.program, "token", "make", "schemathesis"]
        said = subprocess.run(made, env=self.environment, capture_output=True, text=True, check=True)
        return re.search(r"postern_[0-9a-f]{64}", said.stdout).group()

    def stop(self):
        self.running.send_signal(signal.SIGTERM)
        return self.running.wait(timeout=30)


def look(house, token, regex, examples):
    """Runs schemathesis over the operations of one token; true when it found nothing wrong."""
    asked = [
        str(pathlib.Path(sys.executable).with_name("schemathesis")),
        "run",
        f"{house.base}/api/v1/openapi.json",
        "--header", f"Authorization: Bearer {token}",
        "--include-path-regex", regex,
        "--max-examples", str(examples),
        "--phases", "examples,coverage,fuzzing",
        "--generation-deterministic",
        "--warnings", "off",
        "--no-color",
    ]  # fmt: skip
    # What it notes of a run goes with the house.
    return subprocess.run(asked, cwd=house.folder, stdin=subprocess.DEVNULL, timeout=600).returncode == 0


def main():
    program = os.path.abspath(sys.argv[1])
    examples = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    with tempfile.TemporaryDirectory() as folder:
        house = House(program, folder)
        try:
            house.become_owner()
            token = house.token()
            whole = look(house, token, r"^/api/v1/chat$", examples)
            whole &= look(house, ADMIN, r"^/api/v1/(status|tokens|openapi)", examples)
        finally:
            ended = house.stop()
    sys.exit(0 if whole and ended == 0 else 1)


main()
