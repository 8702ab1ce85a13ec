"""Images that take long to decode: 16 hostile clients and 4 honest ones ask one server for N seconds.

All clients come from the same address, which is the hardest case: the server cannot tell them apart by it. Every request must be answered
by its deadline and one second more, whatever the answer is.
"""

import base64
import collections
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

from attacks import bombs
from attacks.ground import kill_session, members

PORT = 18083
DEADLINE = 5.0
GRACE = 1.0
HOSTILE, HONEST = 16, 4
UNANSWERED = 0

#: As large as the server's default for pixels allows.
SIDE = 7200


class Client(threading.Thread):
    """Sends its requests one after the other, and notes status and seconds of each."""

    def __init__(self, requests, until, pause):
        super().__init__()
        self.requests, self.until, self.pause, self.answers = requests, until, pause, []

    def run(self):
        number = 0
        while time.monotonic() < self.until:
            path, body = self.requests[number % len(self.requests)]
            number += 1
            self.answers.append(ask("POST", path, body)[:2])
            time.sleep(self.pause)


def ask(method, path, body=None):
    """Status, seconds and body of an answer."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=180)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, time.monotonic() - began, answer.read().decode("utf-8", "replace")
    except OSError:
        return UNANSWERED, time.monotonic() - began, ""
    finally:
        connection.close()


def infer(images):
    data = [base64.b64encode(image).decode() for image in images]
    tensor = {"name": "image", "shape": [len(data)], "datatype": "BYTES", "data": data}
    return "/v2/models/run/infer", json.dumps({"inputs": [tensor], "outputs": [{"name": "label"}]}).encode()


def hostile_requests():
    """Far above any reasonable work, and just below what one request may cost."""
    one_bit = bombs.png(SIDE)
    return [
        infer([one_bit] * 8),
        ("/predict", one_bit),
        ("/predict", bombs.png(SIDE, 8, 2, interlaced=True)),
        ("/predict", bombs.jpeg(SIDE, 90)),
        ("/predict", bombs.jpeg(SIDE, 20)),
        ("/predict", bombs.png(4600, 16, 6)),
        infer([bombs.png(3000)] * 8),
        infer([bombs.png(1000)] * 60),
    ]


def honest_requests(photos):
    """Small images, and the size that telephones make: 12 megapixels in ten scans."""
    small = [("/predict", file.read_bytes()) for file in sorted(photos.rglob("*.png"))[:6]]
    return [*small, ("/predict", bombs.jpeg(3464, 10))]


def serve(ground):
    settings = ground.environment(GRAMIAN_JAVA_OPTS="", GRAMIAN_THREADS=None)
    deadline = int(1000 * DEADLINE)
    return ground.serve(ground.folder / "run", "--port", PORT, "--deadline", deadline, environment=settings)


def late(clients):
    answers = [answer for client in clients for answer in client.answers]
    return [
        f"{'no answer' if status == UNANSWERED else status} after {seconds:.1f} s"
        for status, seconds in answers
        if status == UNANSWERED or seconds > DEADLINE + GRACE
    ]


def row(who, clients):
    answers = [answer for client in clients for answer in client.answers]
    times = sorted(seconds for _, seconds in answers)
    statuses = collections.Counter(status for status, _ in answers)
    share = 100 * statuses[200] / max(1, len(answers))
    return [
        who,
        len(answers),
        ", ".join(f"{count} × {status or 'no answer'}" for status, count in sorted(statuses.items())),
        f"{share:.0f} %",
        f"{times[len(times) // 2]:.2f} s",
        f"{times[-1]:.2f} s",
    ]


def attack(ground, count):
    photos = ground.photos(8)
    ground.must(*ground.training(ground.folder / "run", "--quiet", settings=["stage2.epochs=0"]))
    server, log, _ = serve(ground)
    bad, good = hostile_requests(), honest_requests(photos)
    for path, body in good:
        ask("POST", path, body)
    began, before = time.monotonic(), processor_seconds(server)
    until = began + count
    hostile = [Client(bad[i % len(bad) :] + bad[: i % len(bad)], until, 0.02) for i in range(HOSTILE)]
    honest = [Client(good[i:] + good[:i], until, 0.2) for i in range(HONEST)]
    for client in [*hostile, *honest]:
        client.start()
    for client in [*hostile, *honest]:
        client.join()
    cores = (processor_seconds(server) - before) / (time.monotonic() - began)
    ground.trial("honest clients", late(honest))
    ground.trial("hostile clients", late(hostile))
    ground.trial("afterwards", afterwards(server, log, good[0]))
    ground.table(
        ["clients", "requests", "answers", "share of 200", "median", "longest"],
        [row(f"{HONEST} honest", honest), row(f"{HOSTILE} hostile", hostile)],
    )
    print(f"The server had {cores:.1f} cores on average; repeat a run in which other work left it less than one.")


def processor_seconds(server):
    """Processor time of the server's processes until now."""
    ticks = 0
    for process in members(server.pid):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def afterwards(server, log, request):
    """The server answers as before, holds no place in its queue, and ends in order."""
    time.sleep(DEADLINE)
    status, seconds, _ = ask("POST", *request)
    found = [] if status == 200 and seconds < DEADLINE else [f"an honest request got {status} after {seconds:.1f} s"]
    metrics = ask("GET", "/metrics")[2]
    waiting = [float(number) for number in re.findall(r"^gramian_queue_images\S* (\S+)$", metrics, re.M)]
    found += [] if waiting and not any(waiting) else [f"images that still wait: {waiting}"]
    kill_session(server.pid, signal.SIGTERM)
    try:
        code = server.wait(60)
    except subprocess.TimeoutExpired:
        code = "hanging"
    return found + ([] if code in (0, 143) else [f"the server ended with {code}: {log.read_text()[-300:]}"])
