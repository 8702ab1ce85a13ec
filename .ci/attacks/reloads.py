"""A model is loaded again N times while a client asks: memory must stay what it was, and every request must be answered.

GRAMIAN_MODEL names another model than the tiny one that is trained here.
"""

import os
import re
import signal
import time
import urllib.request
from pathlib import Path

from attacks.ground import ended, kill_session

PORT = 18084
WARM = 5

#: Share by which resident memory may differ from what it was after the first loads.
TOLERANCE = 0.2


def post(path, body=b""):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", data=body, method="POST")
    with urllib.request.urlopen(request, timeout=120) as answer:
        return answer.read()


def resident(process):
    """Megabytes, once the old model is freed: the lowest of a second."""
    samples = []
    for _ in range(10):
        samples.append(int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) / 1024)
        time.sleep(0.1)
    return min(samples)


def model(ground):
    if "GRAMIAN_MODEL" in os.environ:
        return os.environ["GRAMIAN_MODEL"]
    ground.must(*ground.training(ground.folder / "run", "--quiet", settings=["stage2.epochs=0"]))
    return ground.folder / "run"


def attack(ground, count):
    photo = next(ground.photos().rglob("*.png")).read_bytes()
    served = model(ground)
    server, _, _ = ground.serve(f"m={served}", "--port", PORT, "--allow-load", "--drain", 0)
    megabytes = [resident(server.pid)]
    for _ in range(count):
        post("/v2/repository/models/m/load")
        post("/predict", photo)
        megabytes.append(resident(server.pid))
    kill_session(server.pid, signal.SIGTERM)
    code = ended(server, 60)
    warm = megabytes[min(WARM, count)]
    found = [] if code == 0 else [f"ended with {code}"]
    found += [
        f"{value:.0f} MB after {number} loads, {warm:.0f} MB after {WARM}"
        for number, value in enumerate(megabytes)
        if number > WARM and abs(value - warm) > TOLERANCE * warm
    ][:1]
    ground.trial(f"{count} loads", found)
    shown = sorted({0, 1, WARM, count // 2, count} & set(range(count + 1)))
    ground.table(["loads", "resident"], [[number, f"{megabytes[number]:.0f} MB"] for number in shown])
