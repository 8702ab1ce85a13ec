"""Every command with an output that cannot be written: nothing is lost silently, and what is said is one sentence."""

import os
import re
import shutil

from attacks.ground import has_trace

OUTPUTS = ["/dev/full", "closed pipe", "tiny disk", "read-only", "ASCII"]

GRID = """
name: tiny
title: One method
datasets:
  photos: {images: photos, splits: [1], seeds: [1]}
common: {stage1: {epochs: 0}, backbone: {precision: float}}
methods:
  average: {label: Average, recipe: {network: {branches: [{tap: res5b, size: 32, convolution: 0, aggregator: average}]}}}
"""

SPACE = """
name: tiny
title: One head
common: {stage1: {epochs: 0}, backbone: {precision: float}}
inputs:
  near: {label: 32 px, branches: [{tap: last, size: 32}]}
heads:
  average: {label: Average pooling, branches: [{convolution: 0, aggregator: average}]}
"""

#: Gives a command a disk of its own that holds what it is about to change: full, or read-only.
DISK = """
disk=$1 kind=$2 holds=$3 to=$4
shift 4
mount -t tmpfs -o size=300m none "$disk" || exit 99
[ -z "$holds" ] || cp -a "$holds" "$disk/"
if [ "$kind" = read-only ]; then
  mount -o remount,ro "$disk"
else
  mount -o remount,size=$(($(du -sk "$disk" | cut -f1) + 4))k "$disk"
  [ "$to" = - ] || cat /dev/zero >"$disk/zeros" 2>/dev/null
fi
if [ "$to" = - ]; then exec "$@"; else exec "$@" >"$to"; fi
"""


class Command:
    """A command; the folder {out} in its words is where it writes, {held} a copy of a run that it changes."""

    def __init__(self, words, holds=None):
        self.words, self.holds = words, holds
        self.writes = "{out}" in str(words) or holds is not None

    def on(self, out, run):
        held = run if self.holds is None else out / self.holds.name
        return [str(word).replace("{out}", str(out)).replace("{held}", str(held)) for word in self.words]


def commands(ground):
    """One of each command, in seconds."""
    photos, weights, run = ground.photos(4), ground.weights(), ground.folder / "run"
    (photos / "dots" / "größe.png").write_bytes((photos / "dots" / "000.png").read_bytes())
    ground.must(*ground.training(run, "--quiet", settings=["stage2.epochs=0"]))
    unfinished = ground.folder / "unfinished"
    shutil.copytree(run, unfinished)
    for name in ("model.gramian", "scores.json", "report.html", "predictions.jsonl", "report-data.json"):
        (unfinished / name).unlink()
    (ground.folder / "grid.yaml").write_text(GRID)
    (ground.folder / "space.yaml").write_text(SPACE)
    (ground.folder / "recipe.yaml").write_text("seed: 3\n")
    experiment = ["experiment", ground.folder / "grid.yaml", "--data", ground.folder, "--backbone", weights, "--quiet"]
    cache = ["--cache", ground.folder / "features"]
    results = ground.folder / "results"
    ground.must(*experiment, *cache, "--out", results)
    train = ground.training("{out}/run", "--quiet", settings=["stage2.epochs=0"])
    search = ["search", "--images", photos, "--backbone", weights, "--space", ground.folder / "space.yaml"]
    features = ["features", "--root", photos, "--backbone", weights, "--tap", "res5b", "--size", 32]
    return {
        "doctor": Command(["doctor"]),
        "data demo": Command(["data", "demo", "--images", 4, "--out", "{out}/demo"]),
        "data inspect": Command(["data", "inspect", "--root", photos, "--quiet"]),
        "weights random": Command(["weights", "random", "--as", "resnet18", "--out", "{out}/w.safetensors"]),
        "weights import": Command(["weights", "import", ground.published(), "--as", "resnet18", "--out", "{out}/i.safetensors"]),
        "weights show": Command(["weights", "show", weights]),
        "features": Command([*features, "--precision", "float", "--quiet", "--out", "{out}/features"]),
        "search": Command([*search, "--trials", 1, "--quiet", "--out", "{out}/best"]),
        "train": Command([*train, *cache]),
        "resume": Command(["resume", "{held}", "--quiet", *cache], unfinished),
        "evaluate": Command(["evaluate", run, "--quiet", "--out", "{out}/scores"]),
        "predict": Command(["predict", run, photos, "--quiet"]),
        "describe": Command(["describe", run, photos, "--quiet", "--out", "{out}/descriptors.npy"]),
        "compare": Command(["compare", run]),
        "experiment": Command([*experiment, *cache, "--out", "{out}/results"]),
        "tables": Command(["tables", results, "--out", "{out}/page"]),
        "report": Command(["report", "{held}"], run),
        "recipe show": Command(["recipe", "show"]),
        "recipe check": Command(["recipe", "check", ground.folder / "recipe.yaml"]),
        "model show": Command(["model", "show", run]),
        "export": Command(["export", run, "--onnx", "{out}/model.onnx"]),
        "serve --check": Command(["serve", run, "--check"]),
        "completion": Command(["completion"]),
    }


class Outputs:
    def __init__(self, ground):
        self.ground = ground
        self.commands = commands(ground)
        self.run = ground.folder / "run"
        self.number = 0

    def place(self, command):
        """A folder of its own for what the command writes, with what it changes."""
        self.number += 1
        out = self.ground.folder / f"out-{self.number}"
        out.mkdir()
        if command.holds is not None:
            shutil.copytree(command.holds, out / command.holds.name)
        return out

    def on_disk(self, command, kind):
        """The words on a disk of its own; what a command only prints goes there, too."""
        disk = self.ground.folder / "disk"
        disk.mkdir(exist_ok=True)
        to = "-" if command.writes or kind == "read-only" else disk / "printed"
        prefix = ["unshare", "-m", "--", "sh", "-c", DISK, "sh", disk, kind, command.holds or "", to]
        return self.ground.gramian(*command.on(disk, self.run), before=list(map(str, prefix)))

    def lost(self, end, words):
        found = [] if end.code == 1 else [f"ended with {end.code}"]
        found += [] if end.one_sentence() else ["not one sentence"]
        found += ["names a temporary file"] if re.search(r"\.[0-9a-f]{16}\.tmp", end.err) else []
        if words not in end.err:
            found.append(f"does not say '{words}'")
        return found

    def full(self, command):
        with open("/dev/full", "wb") as full:
            end = self.ground.gramian(*command.on(self.place(command), self.run), out=full)
        return end, self.lost(end, "standard output")

    def pipe(self, command):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            end = self.ground.gramian(*command.on(self.place(command), self.run), out=writer)
        finally:
            os.close(writer)
        found = [] if end.code == 141 else [f"ended with {end.code}"]
        return end, found + (["not silent"] if has_trace(end.err) or "gramian: " in end.err else [])

    def tiny(self, command):
        end = self.on_disk(command, "tiny")
        # Some look at the room before they begin, and say how much is left.
        full = "kB left" if " kB left;" in end.err else "the disk is full"
        return end, self.lost(end, full if command.writes else "standard output")

    def read_only(self, command):
        end = self.on_disk(command, "read-only")
        if command.writes:
            return end, self.lost(end, "ead-only")
        return end, [] if end.code == 0 else [f"ended with {end.code}"]

    def ascii(self, command):
        options = "-Dfile.encoding=US-ASCII -Dstdout.encoding=US-ASCII -Dstderr.encoding=US-ASCII"
        environment = self.ground.environment(options=options, LC_ALL="C")
        end = self.ground.gramian(*command.on(self.place(command), self.run), environment=environment)
        found = [] if end.code == 0 else [f"ended with {end.code}"]
        odd = re.findall(r"[^\x00-\x7f]", end.out + end.err)
        found += [f"printed {''.join(sorted(set(odd)))!r}"] if odd else []
        return end, found + (["a trace"] if has_trace(end.err) else [])


def attack(ground, count):
    outputs = Outputs(ground)
    kinds = dict(zip(OUTPUTS, [outputs.full, outputs.pipe, outputs.tiny, outputs.read_only, outputs.ascii]))
    if os.geteuid() != 0:
        print("tiny and read-only disks are left out: mounting them needs root")
        del kinds["tiny disk"], kinds["read-only"]
    pairs = [(name, kind) for name in outputs.commands for kind in kinds]
    if count:
        pairs = ground.random.sample(pairs, min(count, len(pairs)))
    seen = {}
    for name, kind in pairs:
        end, found = kinds[kind](outputs.commands[name])
        seen[name, kind] = f"**{end.code}**" if found else end.code
        ground.trial(f"gramian {name}, {kind}: {end.code}", found, end.lines[-1][:160] if end.lines else "")
        if found:
            print(end.err[-1500:])
        for out in ground.folder.glob("out-*"):
            shutil.rmtree(out, ignore_errors=True)
    ground.table(
        ["exit code", *kinds],
        [[name, *(seen.get((name, kind), "") for kind in kinds)] for name in outputs.commands if any(n == name for n, _ in seen)],
    )
