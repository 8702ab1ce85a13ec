"""Hosts that are broken or hostile. Every trial says what must happen there: it works, or ends with one sentence."""

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from attacks.ground import HANGING, kill_session, leftovers, tensors

#: A user that no file of the system knows, and another one.
NOBODY, OTHER = 54321, 54322

#: A library that says that it was loaded.
PLANTED = '#include <stdio.h>\n__attribute__((constructor)) static void loaded(void) { fclose(fopen("%s", "w")); }\n'


class Hosts:
    def __init__(self, ground):
        self.ground = ground
        ground.photos(4)
        self.run = ground.folder / "run"
        ground.must(*ground.training(self.run, "--quiet", settings=["stage2.epochs=0"]))
        self.predict = ["predict", self.run, ground.folder / "photos", "--quiet"]
        self.expected = ground.must(*self.predict).out
        ground.folder.chmod(0o755)
        subprocess.run(["chmod", "-R", "a+rX", str(ground.folder)], check=True)

    # -- expectations

    def works(self, end):
        found = [] if end.code == 0 else [f"ended with {end.code}: {end.err[-300:]}"]
        return found + ([] if end.out == self.expected else ["other predictions"])

    @staticmethod
    def refused(end, *words):
        found = [] if end.code not in (0, "hanging") else [f"ended with {end.code}"]
        found += [] if end.one_sentence() else ["not one sentence: " + end.err[-400:]]
        return found + [f"does not say '{word}'" for word in words if word not in end.err]

    # -- means

    def folder(self, name, owner=0, mode=0o755):
        path = self.ground.folder / name
        path.mkdir()
        path.chmod(mode)
        os.chown(path, owner, owner)
        return path

    def as_user(self, user, *words, before=(), **settings):
        """Runs as a user; settings are those of the environment."""
        environment = self.ground.environment(**{"HOME": None, **settings})
        prefix = [*before, "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
        return self.ground.gramian(*(words or self.predict), before=prefix, environment=environment, folder="/")

    @staticmethod
    def mounted(*commands):
        """Runs mount commands in a namespace of their own before the rest."""
        return ["unshare", "-m", "--", "sh", "-c", "set -e; " + "; ".join(commands) + '; exec "$@"', "sh"]

    # -- the hosts

    def user_without_passwd_entry(self):
        temporary = self.folder("passwdless", NOBODY, 0o700)
        return self.works(self.as_user(NOBODY, temporary=temporary))

    def planted_native_cache(self):
        """Another user waits with libraries where a user without a home would unpack them."""
        temporary = self.folder("planted", 0, 0o1777)
        proof = self.ground.folder / "planted" / "loaded"
        planted = temporary / "gramian-natives-_"
        for name in ("gramian-natives-_", f"gramian-natives-{NOBODY}", "gramian-natives-?"):
            shutil.copytree(self.natives(), temporary / name, dirs_exist_ok=True)
            self.replace_libraries(temporary / name, proof)
            subprocess.run(["chown", "-R", f"{OTHER}:{OTHER}", str(temporary / name)], check=True)
            subprocess.run(["chmod", "-R", "a+rwX", str(temporary / name)], check=True)
        end = self.as_user(NOBODY, temporary=temporary)
        found = self.works(end)
        found += ["a planted library was loaded"] if proof.exists() else []
        return found + ([] if "another user" in end.err or planted.name in end.err else ["said nothing of it"])

    def natives(self):
        """What the current user has unpacked."""
        return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gramian/natives"

    def replace_libraries(self, folder, proof):
        source = self.ground.folder / "planted.c"
        source.write_text(PLANTED % proof)
        library = self.ground.folder / "planted.so"
        if not library.exists():
            if subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source)]).returncode != 0:
                library.write_bytes(b"no compiler: not a library")
        for file in folder.rglob("*.so*"):
            if file.is_symlink():
                continue
            size, times = file.stat().st_size, (file.stat().st_atime, file.stat().st_mtime)
            file.write_bytes(library.read_bytes())
            os.truncate(file, size)  # JavaCPP takes a file of the expected size for its own
            os.utime(file, times)

    def planted_libraries_in_the_current_folder(self):
        here = self.folder("here", 0, 0o777)
        proof = self.ground.folder / "here" / "loaded"
        for name in ("libtorch.so", "libjnitorch.so", "libc10.so", "libjniopenblas_nolapack.so", "libjnijavacpp.so"):
            (here / name).write_bytes(b"")
        shutil.copytree(self.natives(), here / "?" / ".cache/gramian/natives")
        self.replace_libraries(here, proof)
        temporary = self.folder("here-tmp", NOBODY, 0o700)
        prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
        environment = self.ground.environment(temporary=temporary, HOME=None)
        end = self.ground.gramian(*self.predict, before=prefix, environment=environment, folder=here)
        return self.works(end) + (["a planted library was loaded"] if proof.exists() else [])

    def noexec_temporary_folder(self):
        temporary = self.folder("noexec")
        mount = f"mount -t tmpfs -o noexec,mode=1777 none {temporary}"
        with_cache = self.ground.gramian(
            *self.predict, before=self.mounted(mount), environment=self.ground.environment(temporary=temporary)
        )
        return self.works(with_cache) + self.refused(
            self.as_user(NOBODY, before=self.mounted(mount), temporary=temporary), "noexec"
        )

    def read_only_root(self):
        """As in a container with --read-only: works with a temporary folder that can be written to, says so without."""
        temporary = self.folder("read-only-tmp")
        root = "mount --make-rprivate /; mount -o bind,remount,ro /; mount -o bind,remount,ro /dev/shm 2>/dev/null || :"
        writable = self.mounted(f"mount -t tmpfs -o mode=1777,exec none {temporary}", root)
        found = self.works(self.as_user(NOBODY, before=writable, temporary=temporary))
        end = self.as_user(NOBODY, before=self.mounted(root), temporary=temporary)
        return found + self.refused(end)

    def no_home(self):
        temporary = self.folder("homeless", NOBODY, 0o700)
        settings = {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent/cache"}
        return self.works(self.as_user(NOBODY, temporary=temporary, **settings))

    def memory(self):
        """256 MB for everything: the kernel ends the process; nothing is half-written. A heap of 32 MB: a sentence."""
        group = Path("/sys/fs/cgroup/memory/gramian-attack")
        out = self.ground.folder / "small-memory.npy"
        small = self.ground.environment(options="-Xmx32m")
        found = []
        describe = ["describe", self.run, self.ground.folder / "photos", "--quiet", "--out", out]
        if group.parent.exists():
            group.mkdir(exist_ok=True)
            (group / "memory.limit_in_bytes").write_text(str(256 << 20))
            try:
                prefix = ["sh", "-c", f'echo $$ >{group}/cgroup.procs; exec "$@"', "sh"]
                end = self.ground.gramian(*describe, before=prefix)
                print(f"256 MB: ended with {end.code}: {(end.lines or [''])[-1][:200]}")
                if end.code != 0 and end.code != -signal.SIGKILL:
                    found += self.refused(end)
                found += ["half a file"] if end.code != 0 and out.exists() else []
                found += leftovers(out.parent) if end.code == 0 else []
            finally:
                time.sleep(0.5)
                group.rmdir()
        end = self.ground.gramian(*self.ground.training(self.ground.folder / "small", "--quiet"), environment=small)
        print(f"-Xmx32m: ended with {end.code}: {(end.lines or [''])[-1][:200]}")
        return found + ([] if end.code == 0 else self.refused(end, "memory"))

    def two_users_on_one_cache(self):
        """The second one reads what the first has computed; where it cannot add, it says so or computes for itself."""
        shared = self.folder("shared", 0, 0o1777)
        homes = {user: self.folder(f"home-{user}", user, 0o700) for user in (NOBODY, OTHER)}
        found = []
        for user, home in homes.items():
            end = self.as_user(
                user,
                *self.ground.training(home / "run", "--quiet", "--cache", shared / "features", settings=["stage2.epochs=0"]),
                temporary=home,
            )
            found += [] if end.code == 0 else [f"user {user} ended with {end.code}: {end.err[-300:]}"]
        if not found and len({tensors(home / "run/model.gramian") for home in homes.values()}) > 1:
            found.append("other weights")
        planted = f"-Dorg.bytedeco.javacpp.cachedir={homes[NOBODY]}"
        end = self.as_user(OTHER, temporary=homes[OTHER], options=planted)
        return found + self.refused(end)

    def listeners(self):
        """In a network of its own with an address that others could reach: what listens there?"""
        place = self.folder("net")
        setup = "ip link set lo up; ip link add out type dummy; ip addr add 10.9.8.7/24 dev out; ip link set out up"
        watch = (
            f'{setup}; "$@" & child=$!; while kill -0 $child 2>/dev/null; do ss -Hltnu >>{place}/seen; sleep 0.2; done;'
            " wait $child"
        )
        before = ["unshare", "-n", "--", "sh", "-c", watch, "sh"]
        end = self.ground.gramian(
            *self.ground.training(place / "run", "--processes", 2, settings=["stage2.epochs=0"]), before=before
        )
        found = [] if end.code == 0 else [f"train ended with {end.code}: {end.err[-300:]}"]
        trained = self.beyond_loopback(place / "seen")
        found += [f"train listens at {address}" for address in trained]
        (place / "seen").unlink()
        with open(place / "log", "w") as log:
            server = self.ground.start(["serve", self.run, "--port", 8080], log, log, before=before)
            until = time.monotonic() + HANGING
            while "ready at" not in (place / "log").read_text() and time.monotonic() < until and server.poll() is None:
                time.sleep(0.2)
            time.sleep(1)
            kill_session(server.pid)
            server.wait()
        seen = (place / "seen").read_text()
        found += [] if "127.0.0.1" in seen else ["the server was not seen"]
        return found + [f"serve listens at {address}" for address in self.beyond_loopback(place / "seen")]

    @staticmethod
    def beyond_loopback(seen):
        addresses = {line.split()[4] for line in seen.read_text().splitlines() if len(line.split()) > 4}
        return sorted(one for one in addresses if not re.match(r"127\.|\[::1\]|\[::ffff:127\.", one))

    def no_network(self):
        """Not even loopback: one process needs none; two end with a sentence or meet all the same."""
        prefix = ["unshare", "-n", "--"]
        found = self.works(self.ground.gramian(*self.predict, before=prefix))
        words = self.ground.training(self.ground.folder / "netless", "--processes", 2, "--restarts", 0, "--timeout", 20)
        end = self.ground.gramian(*words, before=prefix)
        return found + ([] if end.code == 0 else self.refused(end))

    def no_proc(self):
        """Most builds of Java do not even start there, and say so themselves."""
        empty = self.ground.gramian(*self.predict, before=self.mounted("mount -t tmpfs none /proc"))
        if empty.code == 127 and empty.err.startswith("java: "):
            return []
        return self.works(empty) if empty.code == 0 else self.refused(empty)

    def few_descriptors(self):
        """So few that Java itself has none left, and so few that images or libraries cannot be opened."""
        found = []
        for most in (48, 64):
            end = self.ground.gramian(*self.predict, before=["prlimit", f"--nofile={most}:{most}", "--"])
            found += self.works(end) if end.code == 0 else self.refused(end, "ulimit -n")
        return found

    def clock_set_back(self):
        """All files are from the future: those of the run, of the cache, and what was unpacked."""
        run, cache = self.ground.folder / "future", self.ground.folder / "future-features"
        words = self.ground.training(run, "--quiet", "--cache", cache, settings=["stage2.epochs=0"])
        self.ground.must(*words)
        expected = tensors(run / "model.gramian")
        for name in ("model.gramian", "scores.json", "report.html"):
            (run / name).unlink()
        for folder in (run, cache, self.ground.folder / "photos"):
            subprocess.run(f"find {folder} -exec touch -d 2099-01-01 {{}} +", shell=True, check=True)
        end = self.ground.gramian("resume", run, "--quiet", "--cache", cache)
        if end.code != 0:
            return [f"ended with {end.code}: {end.err[-300:]}"]
        return [] if tensors(run / "model.gramian") == expected else ["other weights"]

    def full_temporary_folder(self):
        temporary = self.folder("full")
        fill = f"mount -t tmpfs -o size=1m,mode=1777 none {temporary}; cat /dev/zero >{temporary}/zeros 2>/dev/null || :"
        with_cache = self.ground.gramian(
            *self.predict, before=self.mounted(fill), environment=self.ground.environment(temporary=temporary)
        )
        without = self.as_user(NOBODY, before=self.mounted(fill), temporary=temporary)
        return self.works(with_cache) + self.refused(without)


def attack(ground, count):
    if os.geteuid() != 0:
        raise SystemExit("hosts are made with namespaces and other users, which needs root")
    hosts = Hosts(ground)
    trials = [
        hosts.planted_native_cache,
        hosts.planted_libraries_in_the_current_folder,
        hosts.user_without_passwd_entry,
        hosts.noexec_temporary_folder,
        hosts.read_only_root,
        hosts.no_home,
        hosts.memory,
        hosts.two_users_on_one_cache,
        hosts.listeners,
        hosts.no_network,
        hosts.no_proc,
        hosts.few_descriptors,
        hosts.clock_set_back,
        hosts.full_temporary_folder,
    ]
    if count:
        trials = ground.random.sample(trials, min(count, len(trials)))
    rows = []
    for trial in trials:
        name = trial.__name__.replace("_", " ")
        found = trial()
        ground.trial(name, found)
        rows.append([name, "; ".join(found) or "as it must be"])
    ground.table(["host", "seen"], rows)
