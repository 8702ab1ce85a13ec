"""A stopped training is resumed in a changed world: refused by name, noted, or bit for bit the same."""

import shutil
import signal
import time

from attacks.ground import kill_session, leftovers, tensors
from attacks.kills import Watched


class World:
    def __init__(self, ground):
        self.ground = ground
        ground.photos()
        ground.weights(), ground.weights(2)
        self.stopped = ground.folder / "stopped"
        self.stopped.mkdir()
        shutil.move(ground.folder / "photos", self.stopped / "photos")
        shutil.copy(ground.weights(), self.stopped / "weights.safetensors")
        train = ground.training("run", "--cache", "cache", "--checkpoint-seconds", "0")
        train[train.index("--images") + 1] = "photos"
        train[train.index("--backbone") + 1] = "weights.safetensors"
        whole = ground.folder / "whole"
        shutil.copytree(self.stopped, whole)
        ground.must(*train, folder=whole)
        self.expected = tensors(whole / "run/model.gramian")
        watched = Watched(ground, self.stopped / "run", train)
        watched.until("stage 2")
        time.sleep(0.2)
        kill_session(watched.process.pid, signal.SIGKILL)
        watched.process.wait()
        for name in ("log", "tmp"):
            path = self.stopped / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def resumed(self, change, **settings):
        here = self.ground.folder / "changed"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(self.stopped, here)
        change(here)
        end = self.ground.gramian(
            "resume", "run", "--cache", "cache", folder=here, environment=self.ground.environment(**settings)
        )
        return here, end

    def refused(self, what, change, *words):
        """Exit code 2 and one sentence that names what changed; the run stays as it was."""
        here, end = self.resumed(change)
        found = [] if end.code == 2 else [f"ended with {end.code}"]
        found += [] if end.one_sentence() else ["not one sentence"]
        found += [f"does not say '{word}'" for word in words if word not in end.err]
        before, after = self.stopped / "run/checkpoints", here / "run/checkpoints"
        for file in before.iterdir():
            if not file.name.endswith(".tmp") and (after / file.name).read_bytes() != file.read_bytes():
                found.append(f"{file.name} was changed")
        self.ground.trial(f"{what}: refused", found, end.lines[-1][:200] if end.lines else "")

    def same(self, what, change, note=None, **settings):
        """It goes on to the same weights; or, where rounding may differ, says so."""
        here, end = self.resumed(change, **settings)
        found = [] if end.code == 0 else [f"ended with {end.code}: {end.err[-300:]}"]
        if not found:
            equal = tensors(here / "run/model.gramian") == self.expected
            if note is None:
                found += [] if equal else ["other weights"]
            else:
                found += [] if note in end.err else [f"does not say '{note}'; weights are {'the same' if equal else 'others'}"]
            found += [f"left behind: {name}" for name in leftovers(here)]
        self.ground.trial(f"{what}: {'the same' if note is None else 'noted'}", found)


def attack(ground, count):
    world = World(ground)

    def rename(here):
        (here / "photos/dots/000.png").rename(here / "photos/dots/renamed.png")

    def swap_names(here):
        one, other, third = (here / "photos/dots" / name for name in ("000.png", "001.png", "002.tmp"))
        one.rename(third), other.rename(one), third.rename(other)

    def other_class(here):
        (here / "photos/dots/000.png").rename(here / "photos/stripes/000-dots.png")

    def new_names(here):
        (here / "photos/dots").rename(here / "photos/points")

    def add(here):
        shutil.copy(here / "photos/dots/000.png", here / "photos/dots/added.png")

    def replace(here):
        shutil.copy(here / "photos/dots/001.png", here / "photos/dots/000.png")

    def break_one(here):
        (here / "photos/dots/000.png").write_bytes(b"no image")

    def weights(here):
        shutil.copy(ground.weights(2), here / "weights.safetensors")

    def cache(here):
        shutil.rmtree(here / "cache")

    world.same("nothing", lambda here: None)
    world.refused("an image added", add, "added.png is new")
    world.refused("an image removed", lambda here: (here / "photos/dots/000.png").unlink(), "000.png is gone")
    world.refused("an image replaced", replace, "000.png has different content")
    world.refused("an image renamed", rename, "renamed.png is new", "000.png is gone")
    world.refused("two images swapped", swap_names, "has different content")
    world.refused("an image in another class", other_class, "000-dots.png is new")
    world.refused("a class renamed", new_names, "is gone")
    world.refused("an image broken", break_one, "000.png")
    world.refused("weights swapped", weights, "the backbone's weights are others")
    world.refused("weights removed", lambda here: (here / "weights.safetensors").unlink(), "weights.safetensors")
    world.same("the cache removed", cache)
    world.same("the folder moved, dates changed", lambda here: [file.touch() for file in here.rglob("*")])
    world.same("other threads", lambda here: None, "different arithmetic", GRAMIAN_THREADS=2)
    world.same("another BLAS kernel", lambda here: None, "different arithmetic", OPENBLAS_CORETYPE="Haswell")
