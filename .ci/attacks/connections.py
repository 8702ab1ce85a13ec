"""Clients that hold N connections (1,000) to a server with its default limits: health and /predict must still answer."""

import json
import resource
import socket
import struct
import threading
import time
import urllib.error
import urllib.request

#: Seconds for which connections are held and honest requests are sent.
HELD = 45

#: Seconds that the attacker has to open its connections before honest requests start.
OPENING = 15

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, SETTINGS, PING, CONTINUATION = 1, 4, 6, 9


def frame(kind, stream=0, payload=b""):
    return struct.pack(">BHBBI", 0, len(payload), kind, 0, stream) + payload


#: Per kind of attack: the first bytes, the bytes that follow, and the seconds between them.
KINDS = {
    "HTTP/2 with a PING every 14 s": (PREFACE + frame(SETTINGS), frame(PING, payload=bytes(8)), 14),
    "HTTP/2 headers, one CONTINUATION per second": (
        PREFACE + frame(SETTINGS) + frame(HEADERS, 1, b"\x82"),
        frame(CONTINUATION, 1, b"\x90"),
        1,
    ),
    "silent": (b"", b"", HELD),
    "HTTP/1 bodies that do not come": (
        b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n",
        b"x",
        1,
    ),
}


class Held:
    """Connections that are held. One that the server closes is opened again."""

    def __init__(self, port, count, kind):
        self.port, self.count = port, count
        self.first, self.next, self.pause = KINDS[kind]
        self.sockets, self.opened = [], 0
        self.filled, self.over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        self.filled.wait(OPENING)
        return self

    def open(self):
        held = socket.socket()
        held.settimeout(0.1)
        try:
            held.connect(("127.0.0.1", self.port))
            held.sendall(self.first)
            held.setblocking(False)
            self.sockets.append(held)
        except OSError:
            held.close()

    def run(self):
        began = last = time.monotonic()
        while not self.over.wait(0.2):
            due = time.monotonic() - last >= self.pause
            last = time.monotonic() if due else last
            self.sockets = [held for held in self.sockets if self.alive(held, due)]
            for _ in range(min(100, self.count - len(self.sockets))):
                self.opened += 1
                self.open()
            if len(self.sockets) == self.count or time.monotonic() - began > OPENING:
                self.filled.set()

    def alive(self, held, due):
        """Whether the server has not closed a connection; sends the next bytes if they are due."""
        try:
            while held.recv(4096):
                pass
        except BlockingIOError:
            try:
                if due:
                    held.send(self.next)
                return True
            except OSError:
                pass
        except OSError:
            pass
        held.close()
        return False

    def __exit__(self, *_):
        self.over.set()
        self.thread.join(30)
        for held in self.sockets:
            held.close()


def ask(address, body=None):
    """Status and seconds of an honest request; no answer within 5 s counts as 0."""
    began = time.monotonic()
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data=body), timeout=5) as answer:
            answer.read()
            status = answer.status
    except urllib.error.HTTPError as refused:
        status = refused.code
    except OSError:
        status = 0
    return status, time.monotonic() - began


def attack(ground, count):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if limit < count + 200:
        ground.trial("limits", [f"ulimit -Hn is {limit}; {count} connections need {count + 200}"])
        return
    photo = sorted(ground.photos(4).rglob("*.png"))[0].read_bytes()
    run = ground.folder / "run"
    ground.must(*ground.training(run, "--quiet", settings=["stage2.epochs=0"]))
    rows = []
    for kind in KINDS:
        rows.append(trial(ground, run, count, kind, photo))
    ground.table(["held connections", "address", "answered with 200", "slowest", "connections opened"], sum(rows, []))


def trial(ground, run, count, kind, photo):
    server, _, port = ground.serve(run, "--port", "0", "--drain", "0")
    address = f"http://127.0.0.1:{port}"
    asked = {"/v2/health/ready": [], "/predict": []}
    with Held(port, count, kind) as held:
        end = time.monotonic() + HELD
        while time.monotonic() < end:
            for path, answers in asked.items():
                answers.append(ask(address + path, photo if path == "/predict" else None))
            time.sleep(0.5)
    server.terminate()
    server.wait(120)
    found, rows = [], []
    for path, answers in asked.items():
        good = sum(status == 200 for status, _ in answers)
        slowest = max(seconds for _, seconds in answers)
        rows.append([f"{count} × {kind}", path, f"{good} of {len(answers)}", f"{slowest:.2f} s", held.opened])
        # New connections of the attacker may take all places for a second at a time, and a request gets 503 meanwhile.
        promised = len(answers) if path != "/predict" or "bodies" not in kind else len(answers) // 2
        if good < promised:
            found.append(f"{path}: {good} of {len(answers)} answered: {json.dumps(sorted({s for s, _ in answers}))}")
    ground.trial(f"{count} × {kind}", found)
    return rows
