#!/usr/bin/env python3
"""Twins of DTD-45: test images whose bytes equal a training or validation image, and what they change.

    docs/results/twins.py DATA

DATA holds the folder dtd. The accuracies are recomputed from the predictions in docs/results/raw."""
import hashlib
import json
import pathlib
import sys

METHODS = ["average", "bilinear", "kernel", "bilinear-average", "kernel-average"]
SPLITS = range(1, 11)

root = pathlib.Path(sys.argv[1]) / "dtd"
raw = pathlib.Path(__file__).resolve().parent / "raw/frozen/dtd"


def listed(part, split):
    return (root / f"labels/{part}{split}.txt").read_text().split()


def digest(name, known={}):
    if name not in known:
        known[name] = hashlib.sha256((root / "images" / name).read_bytes()).hexdigest()
    return known[name]


def twins(split, *parts):
    """Test images of a split with an equal file in one of these parts."""
    seen = {digest(name) for part in parts for name in listed(part, split)}
    return {name for name in listed("test", split) if digest(name) in seen}


def accuracy(result, images, left_out):
    kept = [truth == said for name, truth, said in zip(images["ids"], images["truths"], result["predicted"])
            if name.removeprefix("images/") not in left_out]
    return 100 * sum(kept) / len(kept)


lists = {one["sha256"]: one for one in (json.loads(file.read_text()) for file in raw.glob("images-*.json"))}
results = {name: [json.loads((raw / name / f"s{split}-r1.json").read_text()) for split in SPLITS] for name in METHODS}
left_out = {split: twins(split, "train", "val") for split in SPLITS}

print("| split | test images | equal to a training image | equal to a training or validation image |")
print("|---:|---:|---:|---:|")
for split in SPLITS:
    print(f"| {split} | {len(listed('test', split)):,} | {len(twins(split, 'train'))} | {len(left_out[split])} |")
print()
print("| method | split 1, all | split 1, without twins | 10 splits, all | 10 splits, without twins | largest change in a split |")
print("|---|---:|---:|---:|---:|---:|")
for name, runs in results.items():
    pairs = [(accuracy(run, lists[run["images"]], ()), accuracy(run, lists[run["images"]], left_out[run["split"]])) for run in runs]
    means = [sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1)]
    change = max((without - every for every, without in pairs), key=abs)
    print(f"| {runs[0]['label']} | {pairs[0][0]:.2f} | {pairs[0][1]:.2f} | {means[0]:.2f} | {means[1]:.2f} | {change:+.2f} |")
