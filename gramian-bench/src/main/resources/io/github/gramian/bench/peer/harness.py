"""Runs one head for a parent that compares several.

The parent writes one JSON object per line to standard input and reads one per line from standard output:

    (start)                                      -> {"hello": ..., "torch": ..., "threads": ..., "blas": ...}
    {"do": "setup", "threads": 2, "weight": {...}, "gradient": {...},
     "features": {"file": ..., "dtype": "float32", "shape": [batch, C, N]}}
                                                 -> {"length": dimensions of a descriptor}
    {"do": "step"}                               -> {"millis": time of one forward and backward}
    {"do": "dump", "folder": ...}                -> {"written": [...]}, the values of one step

Files hold only the values, little-endian. Without "gradient", one is drawn. The end of the input ends the process, so that it
never outlives its parent.
"""

import json
import math
import os
import sys
import time

import torch


def serve(name, head, weighted=False):
    """Answers the parent; head(features[, weight]) -> descriptors [batch, length]."""
    answer({"hello": name, "torch": torch.__version__, "threads": torch.get_num_threads(), "blas": blas()})
    step = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "setup":
            torch.set_num_threads(request["threads"])
            step = Step(head, request, weighted)
            answer({"length": step.gradient.shape[1]})
        elif request["do"] == "step":
            start = time.perf_counter()
            step.run()
            answer({"millis": 1e3 * (time.perf_counter() - start)})
        elif request["do"] == "dump":
            answer({"written": step.dump(request["folder"])})


class Step:
    """One forward and backward computation on fixed values."""

    def __init__(self, head, request, weighted):
        self.head = head
        self.inputs = [load(request["features"]).requires_grad_()]
        torch.set_default_dtype(self.inputs[0].dtype)
        if weighted:
            self.inputs.append(load(request["weight"]).requires_grad_())
        with torch.no_grad():
            shape = head(*self.inputs).shape
        if "gradient" in request:
            self.gradient = load(request["gradient"])
        else:
            self.gradient = torch.randn(shape, generator=torch.Generator().manual_seed(3))

    def run(self):
        for tensor in self.inputs:
            tensor.grad = None
        descriptors = self.head(*self.inputs)
        descriptors.backward(self.gradient)
        return descriptors

    def dump(self, folder):
        tensors = {"descriptors": self.run(), "features-gradient": self.inputs[0].grad}
        if len(self.inputs) > 1:
            tensors["weight-gradient"] = self.inputs[1].grad
        for name, tensor in tensors.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(tensor.detach().contiguous().numpy().tobytes())
        return list(tensors)


def load(entry):
    """A tensor from a file."""
    size = math.prod(entry["shape"])
    return torch.from_file(entry["file"], size=size, dtype=getattr(torch, entry["dtype"])).clone().reshape(entry["shape"])


def upper_triangle(matrices):
    """[batch, n, n] -> [batch, n(n+1)/2], row by row."""
    n = matrices.shape[-1]
    row, column = torch.triu_indices(n, n)
    return matrices[:, row, column]


def covariance(maps):
    """[batch, C, N] -> [batch, C, C], over positions."""
    centred = maps - maps.mean(2, keepdim=True)
    return centred @ centred.mT / maps.shape[2]


def blas():
    """The library that multiplies matrices here, by the file that is mapped first; Linux only."""
    try:
        with open("/proc/self/maps") as maps:
            files = [line.split()[-1] for line in maps]
    except OSError:
        return "unknown"
    for sign in ("mkl_rt", "mkl_core", "openblas", "blis", "libblas"):
        for file in files:
            if sign in os.path.basename(file):
                return os.path.basename(os.path.realpath(file))
    return "unknown"


def answer(value):
    print(json.dumps(value), flush=True)
