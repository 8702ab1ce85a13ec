"""What all attacks stand on: the packaged distribution, small data, real processes, and a list of findings."""

import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Seconds after which a command counts as hanging. The machine may be busy with other work.
HANGING = 600

#: A training of seconds: both stages, a fit, the last training on all images, a model and a report.
TINY = [
    "network.branches.0.tap=res5b",
    "network.branches.0.size=32",
    "network.branches.0.convolution=16",
    "backbone.precision=float",
    "stage1.epochs=2",
    "stage1.batch=8",
    "stage2.epochs=2",
    "stage2.batch=8",
    "stage2.trainFrom=res5b",
    "stage1.keep=last",
    "stage2.keep=last",
    "tuned=always",
]


class End:
    """How a process ended, and what it said."""

    def __init__(self, code, out, err, seconds=0.0):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds


def has_trace(text):
    return re.search(r"^\s+at [\w.$]+\(|Exception in thread|A fatal error has been detected", text, re.M) is not None


class Ground:
    """A folder to work in, which is deleted at the end, and what was found there."""

    def __init__(self, part, seed):
        self.part, self.seed = part, seed
        self.random = random.Random(f"{part} {seed}")
        self.home = Path(os.environ.get("GRAMIAN_DIST", ROOT / "gramian-dist/target/gramian")).resolve()
        if not (self.home / "bin/gramian").exists():
            sys.exit(f"{self.home} has no bin/gramian; build it with: mvn -q -DskipTests package")
        self.folder = Path(tempfile.mkdtemp(prefix="gramian-attack-"))
        self.findings, self.rows = [], []
        self.trials = 0
        self.started = []

    def close(self):
        """Ends what still runs of the processes that were started here, and only those."""
        for process in self.started:
            if process.poll() is None or members(process.pid):
                kill_session(process.pid)
        subprocess.run(["chmod", "-R", "u+rwX", str(self.folder)], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- processes

    def environment(self, temporary=None, **more):
        """Of a process: one thread, a quick JVM, a temporary folder of its own."""
        settings = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "GRAMIAN_"))}
        temporary = temporary or self.folder / "tmp"
        Path(temporary).mkdir(exist_ok=True)
        settings.update(
            LC_ALL="C.UTF-8",
            GRAMIAN_THREADS="1",
            GRAMIAN_JAVA_OPTS=f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.io.tmpdir={temporary}",
        )
        settings.update(more)
        return {name: str(value) for name, value in settings.items() if value is not None}

    def start(self, words, out, err, environment=None, folder=None):
        """Starts the command in a session of its own, by which its processes are found."""
        process = subprocess.Popen(
            [str(self.home / "bin/gramian"), *map(str, words)],
            cwd=folder or self.folder,
            env=environment or self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            # A shell's background jobs ignore Ctrl-C, and so would what they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.started = [one for one in self.started if one.returncode is None] + [process]
        return process

    def gramian(self, *words, **more):
        """Runs the command to its end."""
        began = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self.start(words, more.pop("out", out), err, **more)
            code = ended(process, HANGING)
            out.seek(0)
            err.seek(0)
            return End(
                code,
                out.read().decode("utf-8", "replace"),
                err.read().decode("utf-8", "replace"),
                time.monotonic() - began,
            )

    def must(self, *words, **more):
        """Runs what the attack itself needs."""
        end = self.gramian(*words, **more)
        if end.code != 0:
            sys.exit(f"gramian {' '.join(map(str, words))} ended with {end.code}:\n{end.err}")
        return end

    def serve(self, *words, environment=None):
        """Starts a server, and waits until it is ready; its process, the file of its output, and its port."""
        log = self.folder / "server.log"
        with open(log, "w") as out:
            server = self.start(["serve", *words], out, out, environment)
        while not (found := re.search(r"ready at http://127.0.0.1:(\d+)", log.read_text())):
            if server.poll() is not None:
                raise SystemExit(f"the server ended with {server.returncode}: {log.read_text()[-500:]}")
            time.sleep(0.1)
        return server, log, int(found[1])

    # -- small data

    def photos(self, images=8):
        self.must("data", "demo", "--out", self.folder / "photos", "--images", images)
        return self.folder / "photos"

    def weights(self):
        file = self.folder / "resnet18.safetensors"
        if not file.exists():
            self.must("weights", "random", "--as", "resnet18", "--seed", 1, "--out", file)
        return file

    def training(self, out, *more, settings=()):
        """The words of a tiny training."""
        words = ["train", "--images", self.folder / "photos", "--backbone", self.weights(), "--out", out]
        for setting in [*TINY, *settings]:
            words += ["--set", setting]
        return [*words, *more]

    # -- what was seen

    def trial(self, what, found=(), repeat=""):
        """One line a trial; what was found in it."""
        self.trials += 1
        found = list(found)
        self.findings += [f"{what}: {one}" for one in found]
        print(f"{self.part} {self.trials}: {what}: {'; '.join(found) or 'ok'}{repeat and '   # ' + repeat}", flush=True)

    def table(self, header, rows):
        """The closing table, in Markdown."""
        print()
        for row in [header, ["---"] * len(header), *rows]:
            print("| " + " | ".join(map(str, row)) + " |")
        print(flush=True)


# -- files


def tensors(model):
    """The hash of a model's tensors: all bytes behind the header, which has the date."""
    with open(model, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        file.seek(8 + size)
        return hashlib.sha256(file.read()).hexdigest()


def leftovers(*folders):
    """Temporary files and what crashed JVMs leave, below these folders; ONNX Runtime's own folder stays after SIGKILL."""
    names = re.compile(r"\.tmp$|^hs_err|^core(\.\d+)?$|^gramian-work-")
    return sorted(
        str(path.relative_to(folder))
        for folder in map(Path, folders)
        if folder.exists()
        for path in folder.rglob("*")
        if names.search(path.name)
    )


# -- sessions


def members(session):
    """Processes of a session that are alive."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path("/proc", entry, "stat").read_text()
            except OSError:
                continue
            fields = text[text.rindex(")") + 2 :].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(entry))
    return found


def kill_session(session, number=signal.SIGKILL):
    for process in members(session):
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def within(seconds, over):
    """Whether something is over within this time."""
    until = time.monotonic() + seconds
    while not over():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def gone(session, seconds):
    """Whether all processes of a session end within this time."""
    return within(seconds, lambda: not members(session))


def ended(process, seconds):
    """The exit code; 'hanging' for a process that had to be killed."""
    if within(seconds, lambda: process.poll() is not None):
        return process.returncode
    kill_session(process.pid)
    process.wait()
    return "hanging"
