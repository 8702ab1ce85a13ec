"""Signals at random moments of every phase; what is continued must end as if nothing had happened.

A chain is one training that is killed once in each of its phases and then resumed to its end. It is run by one process, or
by two; signals go to all processes, as Ctrl-C does, to the parent alone, or to one of its children.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections import Counter

from attacks.ground import gone, has_trace, kill_session, leftovers, members, tensors

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]

#: A phase begins when its line is printed, or its file is there.
PHASES = {
    "start": None,
    "features": "recipe.yaml",
    "initialisation": re.compile(r"^features: (\d+) of \1,", re.M),
    "stage 1": re.compile(r"^stage 1, epoch 0", re.M),
    "stage 2": re.compile(r"^stage 2, epoch 0", re.M),
    "fit": re.compile(r"^stage 2, epoch 2: ", re.M),
    "last training": re.compile(r"^stage 1 on all images, epoch 0", re.M),
    "model": re.compile(r"^stage 2 on all images, epoch 2: ", re.M),
    "report": "model.gramian",
}

#: Who gets the signal.
TARGETS = ["one process", "all of two processes", "the parent of two", "a child of two"]

#: How a process may end that was asked to: by the signal, as shells expect, in order, or because others were lost.
ENDS = {
    signal.SIGINT: {0, 130, -signal.SIGINT, -signal.SIGKILL},
    signal.SIGTERM: {0, 130, 143, -signal.SIGTERM, -signal.SIGINT, -signal.SIGKILL},
    signal.SIGKILL: {0, -signal.SIGKILL},
}

#: Seconds until all processes of a killed command must be gone; the machine may be busy.
UNTIL_GONE = 60


class Watched:
    """A training under way, and the phases that it has reached."""

    def __init__(self, ground, folder, words):
        self.folder = folder
        self.log = folder.parent / "log"
        self.began = time.monotonic()
        self.reached = {"start": 0.0}
        environment = ground.environment(temporary=folder.parent / "tmp")
        with open(self.log, "w") as log:
            self.process = ground.start(words, log, subprocess.STDOUT, environment, folder=folder.parent)

    def look(self):
        text = self.log.read_text(errors="replace")
        for phase, mark in PHASES.items():
            if phase not in self.reached and mark is not None:
                if (self.folder / mark).exists() if isinstance(mark, str) else mark.search(text):
                    self.reached[phase] = time.monotonic() - self.began
        return self.process.poll() is None

    def last(self):
        """The phase it is in."""
        return [phase for phase in PHASES if phase in self.reached][-1]

    def until(self, phase):
        """Waits for a phase, or a later one; whether it came before the end."""
        order = list(PHASES)
        while self.look():
            if order.index(self.last()) >= order.index(phase):
                return True
            time.sleep(0.01)
        return False


class Kills:
    def __init__(self, ground):
        self.ground = ground
        self.photos = ground.photos()
        self.weights = ground.weights()
        self.counted = Counter()
        self.slowest = 0.0
        self.references = {}

    # -- trainings

    def words(self, folder, processes):
        more = ["--cache", folder.parent / "cache", "--checkpoint-seconds", 1, "--processes", processes]
        return self.ground.training(folder, *more), ["resume", folder, *more]

    def result(self, folder):
        """What must not depend on kills: tensors, predictions, and the history but for its times and their checksums."""
        events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        for event in events:
            for clock in ("seconds", "imagesPerSecond", "secondsLeft", "time", "crc32c"):
                event.pop(clock, None)
        return tensors(folder / "model.gramian"), (folder / "predictions.jsonl").read_text(), events

    def reference(self, processes):
        """An unbroken training, and when its phases begin."""
        if processes not in self.references:
            folder = self.ground.folder / f"unbroken-{processes}" / "run"
            folder.parent.mkdir()
            watched = Watched(self.ground, folder, self.words(folder, processes)[0])
            while watched.look():
                time.sleep(0.01)
            if watched.process.returncode != 0:
                raise SystemExit(f"the unbroken training failed:\n{watched.log.read_text()}")
            times = [*watched.reached.values(), time.monotonic() - watched.began]
            spans = {phase: max(0.02, times[i + 1] - times[i]) for i, phase in enumerate(watched.reached)}
            self.references[processes] = (self.result(folder), spans)
            print(f"unbroken, {processes} processes: " + ", ".join(f"{p} {s:.2f} s" for p, s in spans.items()))
            shutil.rmtree(folder.parent)
        return self.references[processes]

    def chain(self, target, most):
        """Kills one training in all its phases, at most so often; the number of kills."""
        ground, processes = self.ground, 1 if target == "one process" else 2
        expected, spans = self.reference(processes)
        folder = ground.folder / "chain" / "run"
        folder.parent.mkdir()
        train, resume = self.words(folder, processes)
        kills, found = 0, []
        for phase in PHASES:
            if kills == most:
                break
            number = SIGNALS[ground.random.randrange(3)]
            share = ground.random.random()
            watched = Watched(ground, folder, resume if (folder / "recipe.yaml").exists() else train)
            if watched.until(phase):
                time.sleep(share * spans[phase])
                watched.look()
            if watched.process.poll() is not None:
                found += self.ended(watched)
                continue  # it came through before the signal; its files stay as they are, and nothing is counted
            kills += 1
            wrong = self.kill(watched, target, number)
            self.counted[watched.last(), signal.Signals(number).name, target] += 1
            ground.trial(f"{signal.Signals(number).name} to {target}, in {watched.last()}", wrong)
        watched = Watched(ground, folder, resume if (folder / "recipe.yaml").exists() else train)
        while watched.look():
            time.sleep(0.02)
        found += self.ended(watched)
        if not found:
            result = self.result(folder)
            found += [what + " differ" for what, a, b in zip(("weights", "predictions", "events"), result, expected) if a != b]
            found += [f"left behind: {name}" for name in leftovers(folder.parent)]
            found += [] if (folder / "report.html").exists() else ["no report"]
        ground.trial(f"{target}: {kills} kills, then to the end", found)
        if found:
            print(watched.log.read_text())
        shutil.rmtree(folder.parent)
        return kills

    @staticmethod
    def ended(watched):
        code = watched.process.returncode
        return [] if code == 0 else [f"ended with {code}: {watched.log.read_text()[-500:]}"]

    def kill(self, watched, target, number):
        """Sends the signal, and what was wrong about the end."""
        began = time.monotonic()
        session = watched.process.pid
        if target == "a child of two":
            children = [process for process in members(session) if process != session]
            receivers = [self.ground.random.choice(sorted(children))] if children else [session]
        elif target == "the parent of two":
            receivers = [session]
        else:
            receivers = members(session)
        for receiver in receivers:
            try:
                os.kill(receiver, number)
            except ProcessLookupError:
                pass
        found = []
        if target == "a child of two" and receivers != [session]:
            # The others end or are started again; the parent decides, and may well come to the end.
            self.await_restart(watched)
            kill_session(session)
            watched.process.wait()
        elif not gone(session, UNTIL_GONE):
            found.append(f"processes are alive after {UNTIL_GONE} s")
            kill_session(session)
        if not found:
            self.slowest = max(self.slowest, time.monotonic() - began)
            code = watched.process.wait()
            if code not in ENDS[number] and target != "a child of two":
                found.append(f"ended with {code}")
        text = watched.log.read_text(errors="replace")
        if has_trace(text) or "SIGSEGV" in text:
            found.append("crashed: " + text[-1500:])
        return found

    @staticmethod
    def await_restart(watched):
        until = time.monotonic() + 20
        while watched.look() and time.monotonic() < until:
            if "starting all again" in watched.log.read_text(errors="replace"):
                time.sleep(1)
                return
            time.sleep(0.05)

    # -- export and serve

    def model(self):
        folder = self.ground.folder / "served"
        if not folder.exists():
            self.ground.must(*self.ground.training(folder, settings=["stage2.epochs=0"]))
        return folder

    def export(self, kills):
        """Kills exports of one file, the later ones while an older file is there; then lets one come through."""
        ground, run = self.ground, self.model()
        place = ground.folder / "exports"
        place.mkdir()
        end = ground.must("export", run, "--onnx", place / "expected.onnx")
        expected = (place / "expected.onnx").read_bytes()
        target = place / "model.onnx"
        environment = ground.environment(temporary=place / "tmp")
        for kill in range(kills):
            number = SIGNALS[ground.random.randrange(3)]
            if kill == kills // 2:
                target.write_bytes(b"an older file")
            before = target.read_bytes() if target.exists() else None
            log = open(place / "log", "w+")
            process = ground.start(["export", run, "--onnx", target], log, log, environment)
            time.sleep((0.2 + 0.8 * ground.random.random()) * end.seconds)
            found = [] if process.poll() in (None, 0) else [f"ended with {process.poll()} by itself"]
            kill_session(process.pid, number)
            if not gone(process.pid, UNTIL_GONE):
                found.append("alive")
            code = process.wait()
            found += [] if code in ENDS[number] else [f"ended with {code}"]
            now = target.read_bytes() if target.exists() else None
            if now not in (before, expected):
                found.append("the file is neither the old one nor the new one")
            if now == expected:
                target.unlink()
            log.seek(0)
            found += ["crashed"] if has_trace(log.read()) else []
            self.counted["export", signal.Signals(number).name, "one process"] += 1
            ground.trial(f"{signal.Signals(number).name} to export", found)
        ground.must("export", run, "--onnx", target, environment=environment)
        found = [] if target.read_bytes() == expected else ["another file"]
        found += [f"left behind: {name}" for name in leftovers(place)]
        ground.trial("export to the end", found)
        shutil.rmtree(place)

    def serve(self, kills):
        """Kills a server under load, and starts it at the same port again."""
        ground, run = self.ground, self.model()
        image = sorted(self.photos.rglob("*.png"))[0].read_bytes()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        answers = set()
        for kill in range(kills):
            number = SIGNALS[ground.random.randrange(3)]
            server = Server(ground, run, port)
            found = server.trouble
            answers.add(server.ask(image))
            load = [threading.Thread(target=server.load, args=(image,)) for _ in range(3)]
            for client in load:
                client.start()
            time.sleep(ground.random.random())
            began = time.monotonic()
            kill_session(server.process.pid, number)
            if not gone(server.process.pid, UNTIL_GONE):
                found.append("alive")
            self.slowest = max(self.slowest, time.monotonic() - began)
            server.ending = True
            for client in load:
                client.join()
            code = server.process.wait()
            found += [] if code in ENDS[number] else [f"ended with {code}"]
            if number != signal.SIGKILL:
                found += server.broken
            answers |= server.answers
            found += ["crashed"] if has_trace(server.log.read_text()) else []
            self.counted["serve", signal.Signals(number).name, "one process"] += 1
            ground.trial(f"{signal.Signals(number).name} to serve, {len(server.answers)} kinds of answers", found)
        ground.trial("all servers gave the same answer", [] if len(answers) == 1 else [f"{len(answers)} answers: {answers}"])


class Server:
    def __init__(self, ground, run, port):
        self.url = f"http://127.0.0.1:{port}/predict"
        self.log = ground.folder / "server.log"
        self.ending, self.broken, self.answers, self.trouble = False, [], set(), []
        with open(self.log, "w") as log:
            words = ["serve", run, "--port", port, "--drain", 1]
            self.process = ground.start(words, log, subprocess.STDOUT)
        until = time.monotonic() + 120
        while "ready at" not in self.log.read_text():
            if self.process.poll() is not None or time.monotonic() > until:
                self.trouble.append("did not start: " + self.log.read_text()[-500:])
                return
            time.sleep(0.05)

    def ask(self, image):
        with urllib.request.urlopen(urllib.request.Request(self.url, data=image), timeout=60) as answer:
            return answer.read()

    def load(self, image):
        """Posts until the server is gone. A request that was accepted must be answered; a refused connection is none."""
        while not self.ending:
            try:
                self.answers.add(self.ask(image))
            except urllib.error.HTTPError as refused:
                if refused.code not in (429, 503):
                    self.broken.append(f"status {refused.code}")
            except urllib.error.URLError as unreachable:
                if not isinstance(unreachable.reason, (ConnectionRefusedError, ConnectionResetError)):
                    self.broken.append(str(unreachable))
                return
            except OSError as cut:
                self.broken.append(f"cut off: {cut!r}")
                return


def attack(ground, count):
    kills = Kills(ground)
    others = count // 10  # exports, and as many servers
    left = count - 2 * others
    turn = ground.random.randrange(len(TARGETS)) if count < 40 else 0
    while left > 0:
        left -= kills.chain(TARGETS[turn % len(TARGETS)], left)
        turn += 1
    if others:
        kills.export(others)
        kills.serve(others)
    phases = [*PHASES, "export", "serve"]
    names = [number.name for number in SIGNALS]
    targets = TARGETS
    ground.table(
        ["phase", *names, *targets],
        [
            [
                phase,
                *(sum(n for (p, s, _), n in kills.counted.items() if p == phase and s == name) for name in names),
                *(sum(n for (p, _, t), n in kills.counted.items() if p == phase and t == target) for target in targets),
            ]
            for phase in phases
        ],
    )
    print(f"{sum(kills.counted.values())} kills; the longest end took {kills.slowest:.1f} s")
