"""python -m tests.contract.opinfo [NAME ...]: judge them; all of them, and keep the record."""

import json
import sys

import torch

from tests.contract.opinfo.running import RECORD, everything

if __name__ == "__main__":
    torch.set_num_threads(1)
    names = sys.argv[1:]
    record, checks = everything(names) if names else everything()
    if not names:
        lines = [f"  {json.dumps(name)}: {json.dumps(record[name])}" for name in sorted(record)]
        RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(dict(checks))
