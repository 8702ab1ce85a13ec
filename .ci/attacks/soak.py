"""Long runs: memory, descriptors and threads stay flat, and answers stay the same.

N minutes of training, prediction from eight threads and serving under load, side by side; then N / 2 minutes of eight processes on one
feature cache while image files are rewritten. Times are minutes, so that `soak 1` tries all of it.
"""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attacks.ground import End, kill_session

CLIENTS = 8


class Gauge:
    """What a process holds, looked at now and then."""

    def __init__(self, process):
        self.process, self.samples = process, []

    def look(self):
        try:
            status = Path(f"/proc/{self.process}/status").read_text()
            held = len(os.listdir(f"/proc/{self.process}/fd"))
        except OSError:
            return
        resident = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
        self.samples.append((resident, held, int(re.search(r"Threads:\s+(\d+)", status)[1])))

    def row(self):
        """Start (a tenth in, when all is warm), middle, end."""
        n = len(self.samples)
        return [self.samples[i] for i in (n // 10, n // 2, n - 1)] if n else []

    def found(self):
        if len(self.samples) < 3:
            return ["too short to tell"]
        (_, _, _), middle, end = self.row()
        found = [f"memory grows: {middle[0]:.0f} MB, then {end[0]:.0f}"] if end[0] > 1.1 * middle[0] + 32 else []
        found += [f"descriptors grow: {middle[1]}, then {end[1]}"] if end[1] > middle[1] + 8 else []
        return found + ([f"threads grow: {middle[2]}, then {end[2]}"] if end[2] > middle[2] + 8 else [])


class Soak:
    def __init__(self, ground, minutes):
        self.ground, self.seconds = ground, 60 * minutes
        self.photos = ground.photos(8)
        self.run = ground.folder / "run"
        ground.must(*ground.training(self.run, "--quiet", settings=["stage2.epochs=0"]))
        self.rows = []

    def watch(self, what, process, until):
        """Samples a process until a moment, or its end."""
        gauge = Gauge(process.pid)
        while time.monotonic() < until and process.poll() is None:
            gauge.look()
            time.sleep(min(5.0, self.seconds / 60))
        for moment, (resident, held, threads) in zip(("start", "middle", "end"), gauge.row()):
            self.rows.append([what, moment, f"{resident:.0f} MB", held, threads])
        return gauge.found()

    def ended(self, process, log, codes=(0,)):
        kill_session(process.pid, signal.SIGTERM)
        try:
            code = process.wait(120)
        except subprocess.TimeoutExpired:
            kill_session(process.pid)
            code = "hanging"
        return [] if code in codes else [f"ended with {code}: {log.read_text()[-300:]}"]

    def training(self):
        log = self.ground.folder / "training.log"
        words = self.ground.training(self.ground.folder / "long", settings=["stage1.epochs=100000", "stage1.schedule=constant"])
        with open(log, "w") as out:
            process = self.ground.start(words, out, out)
        found = self.watch("training", process, time.monotonic() + self.seconds)
        self.ground.trial("training", found + self.ended(process, log, (130, 143)))

    def prediction(self):
        log = self.ground.folder / "prediction.log"
        source = Path(__file__).with_name("Predictions.java")
        java = Path(os.environ["JAVA_HOME"]) / "bin/java" if "JAVA_HOME" in os.environ else "java"
        words = [java, "-Dorg.bytedeco.javacpp.maxBytes=0", "-Dorg.bytedeco.javacpp.maxPhysicalBytes=0", "-cp"]
        words += [f"{self.ground.home}/lib/*", source, self.run / "model.gramian", self.photos, CLIENTS, self.seconds]
        with open(log, "w") as out:
            process = subprocess.Popen(list(map(str, words)), stdout=out, stderr=out, start_new_session=True)
        found = self.watch("prediction", process, time.monotonic() + self.seconds + 600)
        code = process.wait()
        found += [] if code == 0 else [f"ended with {code}: {log.read_text()[-300:]}"]
        self.ground.trial("prediction from eight threads", found, log.read_text().strip()[-200:])

    def serving(self):
        log, load = self.ground.folder / "serving.log", End(0, "", "")
        with open(log, "w") as out:
            server = self.ground.start(["serve", self.run, "--port", 18080], out, out)
        while "ready at" not in log.read_text() and server.poll() is None:
            time.sleep(0.1)
        words = ["bench", "server", "http://127.0.0.1:18080/predict", self.photos, "--clients", CLIENTS, "--rounds", 1]
        answers = []
        until = time.monotonic() + self.seconds

        def ask():
            while time.monotonic() < until:
                answers.append(self.ground.gramian(*words, "--seconds", max(5, min(300, int(until - time.monotonic())))))

        client = threading.Thread(target=ask)
        client.start()
        found = self.watch("serving", server, until)
        client.join()
        load = answers[-1]
        found += [f"the load ended with {load.code}: {load.err[-300:]}" for load in answers if load.code != 0]
        self.ground.trial("serving under load", found + self.ended(server, log, (0, 130, 143)), load.out.strip()[-200:])

    def cache(self):
        """Eight processes fill one cache while files are exchanged; each file has one of two contents."""
        folders = [self.ground.folder / name for name in ("first", "second", "changing")]
        self.ground.must("data", "demo", "--out", folders[0], "--images", 8, "--seed", 11)
        self.ground.must("data", "demo", "--out", folders[1], "--images", 8, "--seed", 12)
        shutil.copytree(folders[0], folders[2])
        shared = self.ground.folder / "shared"
        until = time.monotonic() + self.seconds / 2
        found, rounds = [], []

        def rewrite():
            while time.monotonic() < until:
                file = self.ground.random.choice(sorted(folders[2].rglob("*.png")))
                source = self.ground.random.choice(folders[:2]) / file.relative_to(folders[2])
                if self.ground.random.random() < 0.5:
                    file.write_bytes(source.read_bytes())  # as an editor saves it: not atomically
                else:
                    shutil.copy(source, file.with_suffix(".new"))
                    file.with_suffix(".new").rename(file)
                time.sleep(0.02)

        def fill():
            while time.monotonic() < until:
                end = self.ground.gramian(*self.extraction(folders[2], shared))
                rounds.append(end.code)
                if end.code not in (0, 1, 2) or (end.code and not end.one_sentence()):
                    found.append(f"features ended with {end.code}: {end.err[-300:]}")

        work = [threading.Thread(target=rewrite), *(threading.Thread(target=fill) for _ in range(CLIENTS))]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        end = self.ground.gramian(*self.extraction(folders[2], shared), "--verify")
        found += [] if end.code == 0 else [f"--verify ended with {end.code}: {end.err[-300:]}"]
        for folder in folders[:2]:
            found += self.same_from(shared, folder)
        self.ground.trial(f"one cache, {len(rounds)} processes, {rounds.count(0)} of them undisturbed", found)

    def same_from(self, shared, photos):
        """Features of the shared cache are those that are computed alone, but for their last bits: a batch of one rounds otherwise."""
        own = self.ground.folder / f"own-{photos.name}"
        self.ground.must(*self.extraction(photos, own))
        expected, found = features(own), features(shared)
        common = sorted(expected.keys() & found.keys())
        if not common:
            return [f"no feature of {photos.name} is in the shared cache"]
        return [f"a wrong feature for {image} of {photos.name}" for image in common if differ(expected[image], found[image])]

    def extraction(self, photos, cache):
        """The words of a command that puts features of these images into a cache."""
        words = ["features", "--root", photos, "--backbone", self.ground.weights(), "--out", cache]
        return [*words, "--tap", "res5b", "--size", 32, "--precision", "float", "--quiet"]


def differ(row, other):
    """By more than rounding."""
    return max(abs(one - another) for one, another in zip(row, other)) > 1e-3 * max(map(abs, row))


def features(cache):
    """Rows of a feature cache, by the hash of their image."""
    rows = {}
    for shard in sorted(cache.rglob("shard-*.safetensors")):
        data = shard.read_bytes()
        begin = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:begin])

        def part(name):
            return data[begin + header[name]["data_offsets"][0] : begin + header[name]["data_offsets"][1]]

        maps = part(next(name for name in header if name.startswith("features.")))
        images = part("images")
        count = len(images) // 32
        for i in range(count):
            row = maps[i * len(maps) // count : (i + 1) * len(maps) // count]
            rows[images[32 * i : 32 * i + 32].hex()] = struct.unpack(f"<{len(row) // 2}e", row)
    return rows


def attack(ground, count):
    soak = Soak(ground, count)
    together = (soak.training, soak.prediction, soak.serving)
    with ThreadPoolExecutor(len(together)) as pool:
        for part in [pool.submit(part) for part in together]:
            part.result()
    soak.cache()
    ground.table(["what", "moment", "resident", "descriptors", "threads"], soak.rows)
