"""The same commands in every language, time zone and Java, on files with odd names: the same bytes.

What may differ is named in VARYING: dates and durations, and the version of Java that models and scores record.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from attacks.ground import End, metadata, tensors

LOCALES = ["C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "fa_IR.UTF-8", "ar_EG.UTF-8", "th_TH.UTF-8", "hi_IN.UTF-8"]
ZONES = ["UTC", "Asia/Kolkata", "America/St_Johns"]

#: Keys of JSON whose values are dates, durations or speeds, or the version of Java.
VARYING = re.compile(r"date|java|(^|[a-z])(s|S)econds|imagesPerSecond|(^|[a-z])(m|M)illis|time|wall|started|finished|peak", re.A)

#: Texts in which the same stands in words.
CLOCKS = [
    (re.compile(rb'<svg[^>]*images per second from .*?</svg>', re.S), b"SPEEDS"),
    (re.compile(rb"\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC"), b"DATE"),
    (re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?"), b"DATE"),
    (re.compile(rb"\d+(\.\d+)? images/s|\d+(\.\d+)? per second|\d+(\.\d+)?/s|\d+ s left|\d+(\.\d+)? (s|min|h)\b"), b"DURATION"),
    (re.compile(rb"<td>\d+</td><td>DURATION</td>"), b"<td>SPEED</td><td>DURATION</td>"),
    (re.compile(rb"(17|25)\.\d+\.\d+[^\s<\"]*"), b"JAVA"),
]


def odd_names():
    """300 names: scripts, forms of letters, spaces, quotes, dots, dashes, emoji, control characters, long ones."""
    scripts = ["größe", "İstanbul ıi", "تصویر", "صورة", "ภาพ", "चित्र", "写真", "사진", "Ελλάς", "фото", "🙂🧵", "e\u0301", "\u00e9", "ﬁ"]
    marks = [" ", "  two", "'", '"', "`", "$HOME", "#", "%20", "%s", "&amp;", "<b>", "\\", "\\n", ";", ",", "=1+1", "-", "--help", "+", "@", "~", "!", "*", "?", "[a]", "{}", "|", "\t", "\n", "\u202e", "\u200b", "\u001b[31m", "\u00a0"]
    names = [*scripts, *marks, *(a + b for a, b in itertools.product(scripts, marks))]
    names += ["x" * 200, "ü" * 100, "COM1", "con", ".hidden", "a.png", "A", "a", "1e5", "0x10", "NaN", "null", "true"]
    return names[:150] + names[-150:]


class Photos:
    """Three classes of odd names; every file differs."""

    def __init__(self, ground):
        self.folder = ground.folder / "odd"
        drawn = ground.folder / "drawn"
        ground.must("data", "demo", "--out", drawn, "--images", 100)
        classes = ["größe", "İ ı", "=чертёж"]
        for images, name in zip(sorted(drawn.iterdir()), classes):
            (self.folder / name).mkdir(parents=True)
            for i, image in enumerate(sorted(images.iterdir())):
                odd = odd_names()[classes.index(name) * 100 + i]
                shutil.copy(image, self.folder / name / (odd + ".png"))
        self.count = sum(1 for file in self.folder.rglob("*") if file.is_file())
        shutil.rmtree(drawn)


def steady(text):
    for pattern, word in CLOCKS:
        text = pattern.sub(word, text)
    return text


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if not VARYING.search(key)}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def steady_file(file):
    if file.name == "model.gramian":
        facts = {key: value for key, value in metadata(file).items() if key not in ("sha256",)}
        facts = {key: without_times(json.loads(value)) if value.startswith("{") else value for key, value in facts.items()}
        return json.dumps([tensors(file), facts], sort_keys=True).encode()
    data = file.read_bytes()
    if file.suffix in (".json", ".jsonl"):
        lines = [without_times(json.loads(line)) for line in (data.splitlines() if file.suffix == ".jsonl" else [data])]
        for line in lines:
            if isinstance(line, dict):
                line.pop("crc32c", None)
        return json.dumps(lines, sort_keys=True, ensure_ascii=False).encode()
    return steady(data) if file.suffix in (".html", ".txt", ".yaml", ".csv") else data


class Environment:
    def __init__(self, ground):
        self.ground = ground
        self.photos = Photos(ground)
        self.weights = ground.weights()
        self.locales = ground.folder / "locales"
        self.locales.mkdir()

    def locale(self, name):
        """Installs a locale for these processes alone."""
        if name not in ("C", "C.UTF-8") and not (self.locales / name).exists():
            words = ["localedef", "-i", name.split(".")[0], "-f", "UTF-8", str(self.locales / name)]
            made = subprocess.run(words, capture_output=True, text=True)
            if not (self.locales / name).exists():
                raise SystemExit(f"no locale {name}; install Debian's package locales: {made.stderr}")
        return name

    def outputs(self, locale, zone, java, brief=False):
        """Runs all commands, or three of them; what they printed and left, but for times."""
        here = self.ground.folder / "here"
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        os.symlink(self.photos.folder, here / "odd")
        environment = self.ground.environment(
            java=java, LC_ALL=self.locale(locale), LOCPATH=self.locales if "_" in locale else None, TZ=zone
        )
        train = ["train", "--images", "odd", "--backbone", self.weights, "--out", "runs/first", "--quiet"]
        for setting in [
            "network.branches.0.tap=res5b",
            "network.branches.0.size=32",
            "network.branches.0.convolution=16",
            "backbone.precision=float",
            "stage1.epochs=1",
        ]:
            train += ["--set", setting]
        features = ["features", "--root", "odd", "--backbone", self.weights, "--tap", "res5b", "--size", 32]
        commands = [
            ["data", "inspect", "--root", "odd", "--quiet"],
            [*train, "--cache", "features"],
            [*features, "--precision", "float", "--out", "features-again", "--quiet"],
            ["predict", "runs/first", "odd", "--top", 2],
            ["predict", "runs/first", "odd", "--format", "jsonl"],
            ["report", "runs/first"],
        ]
        commands = commands[:2] if brief else commands
        ends = self.together(commands, environment, here)
        commands.append(["predict", "runs/first", "odd", "--format", "csv"])  # in a process of its own
        ends.append(self.ground.gramian(*commands[-1], environment=environment, folder=here))
        printed, troubles = {}, []
        for words, end in zip(commands, ends):
            name = " ".join(map(str, words[:2])) + ("" if "--format" not in words else " " + words[-1])
            printed[f"printed by {name}"] = steady(end.out.encode()) + steady(end.err.encode())
            if end.code != 0:
                troubles.append(f"{name} ended with {end.code}: {end.err[-300:]}")
        for file in here.rglob("*"):
            if file.is_file() and "odd" not in file.relative_to(here).parts and file.name != "lock":
                name = re.sub(r"tfevents\.\d+", "tfevents", str(file.relative_to(here)))
                printed[name] = b"" if "tfevents" in name else steady_file(file)
        return printed, troubles

    def together(self, commands, environment, here):
        """Runs commands in one JVM, by the start script all the same: an option of its can name another main class."""
        classes, told = self.ground.folder / "classes", self.ground.folder / "told"
        jar = next(self.ground.home.glob("lib/gramian-cli-*.jar"))
        if not classes.exists():
            source = Path(__file__).with_name("Pipeline.java")
            words = ["javac", "--release", "17", "-d", classes, "-cp", f"{self.ground.home}/lib/*", source]
            subprocess.run(list(map(str, words)), check=True)
        shutil.rmtree(told, ignore_errors=True)
        told.mkdir()
        (told / "commands").write_text("\n".join("\t".join(map(str, words)) for words in commands) + "\n")
        options = f"{environment['GRAMIAN_JAVA_OPTS']} -cp {classes}:{jar} io.github.gramian.cli.Pipeline"
        end = self.ground.gramian(
            told / "commands", told, environment={**environment, "GRAMIAN_JAVA_OPTS": options}, folder=here
        )
        if end.code != 0:
            return [end for _ in commands]
        read = [[(told / f"{i}.{kind}").read_text("utf-8") for kind in ("code", "out", "err")] for i in range(len(commands))]
        return [End(int(code), out, err) for code, out, err in read]


def javas():
    """A home for each of the two versions, where it is installed."""
    found = {}
    for home in sorted(Path("/usr/lib/jvm").glob("*")):
        for version in ("17", "25"):
            if version in home.name and not home.is_symlink() and (home / "bin/java").exists():
                found[version] = home
    return found


def attack(ground, count):
    environment = Environment(ground)
    installed = javas()
    versions = list(installed) or ["the default"]
    combinations = list(itertools.product(LOCALES, ZONES, versions))
    if count:
        combinations = ground.random.sample(combinations[1:], min(count, len(combinations) - 1))
    brief = count == 1
    expected, troubles = environment.outputs("C.UTF-8", "UTC", installed.get(versions[0]), brief)
    print(f"{environment.photos.count} files, {len(expected)} outputs, {sum(map(len, expected.values()))} bytes compared")
    ground.trial("C.UTF-8, UTC, the reference", troubles)
    for locale, zone, version in combinations:
        seen, troubles = environment.outputs(locale, zone, installed.get(version), brief)
        found = troubles + [f"{name} is missing" for name in expected.keys() - seen.keys()]
        found += [f"{name} is new" for name in seen.keys() - expected.keys()]
        for name in sorted(expected.keys() & seen.keys()):
            if expected[name] != seen[name]:
                at = next((i for i, (a, b) in enumerate(zip(expected[name], seen[name])) if a != b), 0)
                place = slice(max(0, at - 40), at + 60)
                found.append(f"{name} differs: {expected[name][place]!r} … {seen[name][place]!r}")
        ground.trial(f"{locale}, {zone}, JDK {version}", found)
    ground.table(["what", "how many"], [["locales", len(LOCALES)], ["time zones", len(ZONES)], ["JDKs", len(versions)], ["combinations tried", len(combinations)]])
