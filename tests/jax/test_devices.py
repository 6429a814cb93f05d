"""Arrays on several devices: shardings keep units. Run where JAX has four CPU devices."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "on_four_devices.py"


def test_on_four_devices() -> None:
    flags = "--xla_force_host_platform_device_count=4"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(PROGRAM)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "all held"
