"""Which of these signatures does pywa take? Reads cases as JSON, writes its verdicts."""

import json
import sys

from pywa.utils import webhook_updates_validator

verdicts = [
    webhook_updates_validator(case["secret"], bytes(case["body"]), case["proof"])
    for case in json.load(sys.stdin)
]
json.dump(verdicts, sys.stdout)
