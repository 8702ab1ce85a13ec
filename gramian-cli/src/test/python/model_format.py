"""Reads a model.gramian and computes with it, as docs/model-format.md tells and without any code of Gramian.

    python3 model_format.py MODEL [--crops centre] IMAGE...   a JSON line an image: probabilities and descriptor
    python3 model_format.py --gradients                       the gradients of the page beside autograd's, as JSON
"""
import hashlib
import json
import math
import struct
import sys

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageOps


# Container

def read(path):
    with open(path, "rb") as file:
        content = file.read()
    length, = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length].decode("utf-8"))
    metadata = header.pop("__metadata__")
    data = memoryview(content)[8 + length:]
    tensors = {}
    total = hashlib.sha256()
    for name in sorted(header):
        entry = header[name]
        numpy_type = {"F32": "<f4", "I64": "<i8"}[entry["dtype"]]
        begin, end = entry["data_offsets"]
        numbers = data[begin:end]
        shape = "[" + ", ".join(str(n) for n in entry["shape"]) + "]"
        total.update((name + "\0" + entry["dtype"] + shape + "\n").encode("utf-8"))
        total.update(numbers)
        tensors[name] = torch.from_numpy(np.frombuffer(numbers, dtype=numpy_type).copy()).reshape(entry["shape"])
    assert metadata["format"] == "gramian-model/1"
    assert metadata["vectorisationOrder"] == "1"
    assert metadata["weights.sha256"] == total.hexdigest(), "the weights are damaged"
    text = "{" + ", ".join(f"{key}={metadata[key]}" for key in sorted(metadata) if key != "sha256") + "}"
    assert metadata["sha256"] == hashlib.sha256(text.encode("utf-8")).hexdigest(), "the metadata is damaged"
    return metadata, tensors


# Pixels

FILTERS = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC}


def half_even(numerator):
    return round(numerator / 2)  # Python rounds halves to even


def centre(width, height, size):
    return half_even(width - size), half_even(height - size)


def resized(width, height, rule):
    kind, _, numbers = rule.partition(":")
    if kind == "short":
        short = int(numbers)
        longest = max(65536, short)
        if width <= height:
            return short, min(short * height // width, longest)
        return min(short * width // height, longest), short
    return tuple(int(side) for side in numbers.split("x")) if kind == "exact" else (width, height)


def decoded(path, parts, crops):
    image = Image.open(path)
    if parts.get("decode") == "reduced" and image.format == "JPEG" and image.mode != "CMYK":
        turned = image.getexif().get(274, 1) > 4
        width, height = image.size[::-1] if turned else image.size
        size = int(parts["size"])
        if parts["resize"] != "none":
            wanted = resized(width, height, parts["resize"])
        else:
            wanted = (size, size) if (crops or parts["crops"]) == "whole" else (width, height)
        r = max(r for r in (8, 4, 2, 1) if r == 1 or width >= 2 * r * wanted[0] and height >= 2 * r * wanted[1])
        image.draft(image.mode, (image.width // r, image.height // r))
    return ImageOps.exif_transpose(image).convert("RGB")


def views_of(path, line, crops):
    parts = dict(part.split("=", 1) for part in line.split(";"))
    image = decoded(path, parts, crops)
    size = int(parts["size"])
    interpolation = FILTERS[parts["interpolation"]]
    width, height = resized(*image.size, parts["resize"])
    if (width, height) != image.size:
        image = image.resize((width, height), interpolation)
    views = []
    for crop in (crops or parts["crops"]).split("+"):
        if crop == "whole":
            views.append(image if image.size == (size, size) else image.resize((size, size), interpolation))
            continue
        corners = [centre(width, height, size)]
        if crop in ("five", "ten"):
            right, low = width - size, height - size
            corners = [(0, 0), (right, 0), (0, low), (right, low)] + corners
        else:
            assert crop == "centre", crop
        cut = [image.crop((x, y, x + size, y + size)) for x, y in corners]
        views += cut + ([ImageOps.mirror(view) for view in cut] if crop == "ten" else [])
    return torch.stack([normalised(view, parts["normalise"]) for view in views])


def normalised(view, rule):
    numbers = np.asarray(view, dtype=np.float64)
    if rule == "torchvision":
        numbers = (numbers / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    else:
        assert rule == "caffe", rule
        numbers = numbers[:, :, ::-1] - [103.939, 116.779, 123.68]
    return torch.from_numpy(numbers.astype(np.float32).transpose(2, 0, 1).copy())


# Backbone

class Backbone:
    def __init__(self, name, tensors):
        self.architecture, _, variant = name.partition("-")
        self.variant = variant
        self.epsilon = {"torchvision": 1e-5, "keras": 1e-3, "keras-applications": 1.001e-5}[variant]
        self.tensors = {key[len("backbone/"):]: value for key, value in tensors.items() if key.startswith("backbone/")}

    def features(self, x, taps):
        found = {}
        for tap, x in (self.vgg(x) if self.architecture.startswith("vgg") else self.resnet(x)):
            if tap in taps:
                found[tap] = x
            if len(found) == len(taps):
                return found
        raise ValueError(f"{self.architecture} lacks one of {taps}")

    def convolution(self, x, name, stride=1, padding=0):
        return F.conv2d(x, self.tensors[name + ".weight"], self.tensors.get(name + ".bias"), stride, padding)

    def norm(self, x, name):
        part = [self.tensors[f"{name}.{key}"] for key in ("running_mean", "running_var", "weight", "bias")]
        return F.batch_norm(x, *part, False, 0.0, self.epsilon)

    def vgg(self, x):
        index = 0
        for stage, depth in enumerate({"vgg16": (2, 2, 3, 3, 3), "vgg19": (2, 2, 4, 4, 4)}[self.architecture], 1):
            for layer in range(1, depth + 1):
                x = F.relu(self.convolution(x, f"features.{index}", padding=1))
                yield f"conv{stage}_{layer}", x
                index += 2
            x = F.max_pool2d(x, 2, 2)
            yield f"pool{stage}", x
            index += 1

    def resnet(self, x):
        x = F.relu(self.norm(self.convolution(x, "conv1", 2, 3), "bn1"))
        yield "conv1", x
        x = F.max_pool2d(x, 3, 2, 1)
        yield "pool1", x
        depths = {"resnet18": (2, 2, 2, 2), "resnet34": (3, 4, 6, 3), "resnet50": (3, 4, 6, 3), "resnet101": (3, 4, 23, 3)}
        for layer, depth in enumerate(depths[self.architecture], 1):
            for block in range(depth):
                stride = 2 if layer > 1 and block == 0 else 1
                x = self.block(x, f"layer{layer}.{block}", stride)
                yield f"res{layer + 1}{chr(ord('a') + block)}", x

    def block(self, x, name, stride):
        if f"{name}.conv3.weight" not in self.tensors:
            strides, paddings = (stride, 1), (1, 1)
        else:
            strides = (1, stride, 1) if self.variant == "torchvision" else (stride, 1, 1)
            paddings = (0, 1, 0)
        y = x
        for i, (step, padding) in enumerate(zip(strides, paddings), 1):
            y = self.norm(self.convolution(y, f"{name}.conv{i}", step, padding), f"{name}.bn{i}")
            y = F.relu(y) if i < len(strides) else y
        if f"{name}.downsample.0.weight" in self.tensors:
            x = self.norm(self.convolution(x, f"{name}.downsample.0", stride), f"{name}.downsample.1")
        return F.relu(y + x)


# Head; maps are [views, C, N]

def unit(rows):
    length = rows.norm(dim=-1, keepdim=True)
    return torch.where(length <= 1e-20, torch.zeros_like(rows), rows / length.clamp_min(1e-20))


def of_eigenvalues(matrix, function):
    values, vectors = torch.linalg.eigh((matrix + matrix.mT) / 2)
    return vectors @ torch.diag_embed(function(values)) @ vectors.mT


def distances(maps):
    sq = maps.square().sum(2, keepdim=True)
    D = sq + sq.mT - 2 * maps @ maps.mT
    D = D * (1 - torch.eye(D.shape[1], dtype=D.dtype))
    return D.clamp_min(0), sq


def width(D, sq, bandwidth, tensors, prefix):
    if bandwidth["kind"] == "fixed":
        return torch.full((1, 1, 1), bandwidth["sigma"], dtype=D.dtype)
    if bandwidth["kind"] == "global":
        return tensors[prefix + "kernel.sigma.mean"].reshape(1, 1, 1)
    channels = D.shape[1]
    mean = D.sqrt().sum((1, 2), keepdim=True) / max(1, channels * (channels - 1))
    floor = 8 * math.sqrt(torch.finfo(D.dtype).eps) * sq.mean((1, 2), keepdim=True).sqrt()
    return torch.maximum(mean, floor).clamp_min(1e-12)


def gram(maps, aggregation, tensors, prefix):
    if aggregation["mapCentring"]:
        maps = maps - maps.mean(2, keepdim=True)
    if aggregation["unitMaps"]:
        maps = unit(maps)
    kernel = aggregation["kernel"]
    kind, positions = kernel["kind"], maps.shape[2]
    if kind in ("rbf", "multi-rbf", "laplacian"):
        D, sq = distances(maps)
        sigma = width(D, sq, kernel["bandwidth"], tensors, prefix)
        if kind == "laplacian":
            K = torch.exp(-D.sqrt() / sigma)
        else:
            multiples = kernel.get("multiples", [1])
            K = sum(torch.exp(-D / (2 * (m * sigma) ** 2)) for m in multiples) / len(multiples)
    elif kind == "covariance":
        centred = maps - maps.mean(2, keepdim=True)
        K = centred @ centred.mT / max(1, positions - 1)
    else:
        K = maps @ maps.mT / positions
        if kind == "polynomial":
            K = (K + kernel["offset"]) ** kernel["degree"]
        else:
            assert kind == "linear", kind
    return K + aggregation["jitter"] * torch.eye(K.shape[1])


def spd(maps, config, descriptor, tensors, prefix):
    assert config["products"] == "exact", "products in bfloat16 depend on the machine"
    K = gram(maps, config["aggregation"], tensors, prefix)
    for i, transform in enumerate(config["transforms"], 1):
        W = tensors[f"{prefix}transform{i}.W"]
        K = W.mT @ K @ W
        activation = transform["activation"]
        if activation["kind"] == "relu":
            K = K.clamp_min(0)
        elif activation["kind"] == "reeig":
            K = of_eigenvalues(K, lambda values: values.clamp_min(activation["epsilon"]))
    root = config["root"]
    if root["kind"] == "exact":
        K = of_eigenvalues(K, lambda values: values.clamp_min(root["floor"]).sqrt())
    elif root["kind"] == "newton-schulz":
        K = newton_schulz(K, root["iterations"])
    if descriptor["logarithmFloor"] > 0:
        K = of_eigenvalues(K, lambda values: values.clamp_min(descriptor["logarithmFloor"]).log())
    return triangle(K)


def newton_schulz(K, iterations):
    identity = torch.eye(K.shape[1])
    t = torch.diagonal(K, 0, 1, 2).sum(1).clamp_min(1e-30).reshape(-1, 1, 1)
    Y, Z = K / t, identity
    for _ in range(iterations):
        T = 3 * identity - Z @ Y
        Y, Z = Y @ T / 2, T @ Z / 2
    return t.sqrt() * Y


def triangle(K):
    row, column = torch.triu_indices(K.shape[1], K.shape[1])
    weights = torch.full(row.shape, math.sqrt(2), dtype=K.dtype)
    weights[row == column] = 1
    return K[:, row, column] * weights


def aggregated(maps, config, descriptor, tensors, prefix):
    kind = config["kind"]
    positions = maps.shape[2]
    if kind == "spd":
        return spd(maps, config, descriptor, tensors, prefix)
    if kind == "average":
        return maps.mean(2)
    if kind == "max":
        return maps.amax(2)
    if kind == "fisher":
        w, mu, u = (tensors[f"{prefix}fisher.{part}"] for part in ("weights", "means", "variances"))
        x = maps.mT.unsqueeze(1) - mu.unsqueeze(1)  # [views, K, N, C]
        u = u.unsqueeze(1)
        posterior = (w.log().reshape(-1, 1) - (x.square() / u + u.log()).sum(3) / 2).softmax(1).unsqueeze(3)
        g = (posterior * x / u.sqrt()).sum(2) / (positions * w.sqrt().reshape(-1, 1))
        h = (posterior * (x.square() / u - 1)).sum(2) / (positions * (2 * w).sqrt().reshape(-1, 1))
        return torch.cat((g.flatten(1), h.flatten(1)), 1)
    if kind in ("vlad", "encoding"):
        centres = tensors[prefix + ("vlad.centres" if kind == "vlad" else "encoding.codewords")]
        x = maps.mT.unsqueeze(1) - centres.unsqueeze(1)
        squares = x.square().sum(3)
        if kind == "vlad":
            share = F.one_hot(squares.argmin(1), len(centres)).mT.to(maps.dtype)
        else:
            share = (-tensors[prefix + "encoding.logSmoothing"].exp().reshape(-1, 1) * squares).softmax(1)
        sums = (share.unsqueeze(3) * x).sum(2)
        return (unit(sums) if config.get("intraNormalisation") else sums).flatten(1)
    if kind == "random-encoder":
        Z = (maps - tensors[prefix + "encoder.mean"].unsqueeze(1)) / tensors[prefix + "encoder.deviation"]
        total = 0
        for W in tensors[prefix + "encoder.W"]:
            H = torch.sigmoid(W @ Z)
            regularised = H @ H.mT + config["ridge"] * torch.eye(len(W))
            total = total + torch.linalg.solve(regularised, H @ Z.mT).mT
        return total.flatten(1)
    assert kind == "compact-bilinear", kind
    d, seed = config["dimension"], config["sketchSeed"]
    spectra = [torch.fft.rfft(sketch(maps, d, child(seed, name)), dim=1) for name in ("first", "second")]
    return torch.fft.irfft((spectra[0] * spectra[1]).sum(2), n=d, dim=1) / positions


MASK = (1 << 64) - 1


def mix(z):
    a = (z + 0x9E3779B97F4A7C15) & MASK
    a = (a ^ (a >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    a = (a ^ (a >> 27)) * 0x94D049BB133111EB & MASK
    return a ^ (a >> 31)


def child(seed, what):
    if isinstance(what, int):
        return mix((mix(seed & MASK) + what) & MASK)
    z = seed & MASK
    for byte in what.encode("utf-8"):
        z = mix((z + byte) & MASK)
    return mix(z ^ 0x5851F42D4C957F2D)


def signed(z):
    return z - (1 << 64) if z >> 63 else z


def sketch(maps, dimension, seed):
    channels = maps.shape[1]
    buckets = [signed(child(child(seed, "bucket"), i)) % dimension for i in range(channels)]
    signs = [-1.0 if signed(child(child(seed, "sign"), i)) < 0 else 1.0 for i in range(channels)]
    sketched = torch.zeros(maps.shape[0], dimension, maps.shape[2])
    return sketched.index_add_(1, torch.tensor(buckets), maps * torch.tensor(signs).reshape(-1, 1))


def described(features, branch, place, tensors):
    prefix = f"network/branch{place}."
    maps = features.flatten(2)
    if branch["convolution"] > 0:
        maps = tensors[prefix + "convolution.weight"] @ maps + tensors[prefix + "convolution.bias"].unsqueeze(1)
        maps = maps.clamp_min(0) if branch["rectify"] else maps
    descriptor = branch["descriptor"]
    v = aggregated(maps, branch["aggregator"], descriptor, tensors, prefix)
    epsilon = descriptor["powerEpsilon"]
    if epsilon >= 0:
        v = v.sign() * ((v.abs() + epsilon).sqrt() - math.sqrt(epsilon))
    v = unit(v)
    if descriptor["centringMomentum"] > 0:
        assert tensors[prefix + "centring.seen"].item() == 1
        v = tensors[prefix + "centring.gain"] * (v - tensors[prefix + "centring.mean"])
    return v


# The whole model

class Model:
    def __init__(self, path):
        self.metadata, self.tensors = read(path)
        self.network = json.loads(self.metadata["network"])
        self.classes = json.loads(self.metadata["classes"])
        self.lines = json.loads(self.metadata["preprocessing"])
        self.backbone = Backbone(json.loads(self.metadata["backbone"])["name"], self.tensors)

    def answer(self, path, crops):
        branches = self.network["branches"]
        sizes = sorted({branch["size"] for branch in branches})
        assert len(sizes) == len(self.lines)
        features = {}
        for size, line in zip(sizes, self.lines):
            taps = {branch["tap"] for branch in branches if branch["size"] == size}
            for tap, maps in self.backbone.features(views_of(path, line, crops), taps).items():
                features[size, tap] = maps
        descriptors = torch.cat(
            [described(features[b["size"], b["tap"]], b, i, self.tensors) for i, b in enumerate(branches, 1)], 1)
        scores = descriptors @ self.tensors["network/classifier.weight"].mT + self.tensors["network/classifier.bias"]
        probabilities = (self.network["logitScale"] * scores).softmax(1)
        return probabilities.mean(0), descriptors.mean(0)


# Gradients

def documented_gradient(M, W, dV):
    """Of the loss whose gradient with respect to the triangle of WᵀKW is dV: for W and for the maps M, [1, C, N]."""
    channels = M.shape[1]
    D, sq = distances(M)
    sigma = width(D, sq, {"kind": "per-image"}, {}, "")
    K = torch.exp(-D / (2 * sigma ** 2))
    row, column = torch.triu_indices(W.shape[1], W.shape[1])
    S = torch.zeros(1, W.shape[1], W.shape[1], dtype=M.dtype)
    shared = torch.where(row == column, dV, dV / math.sqrt(2))
    S[:, row, column] = shared
    S[:, column, row] = shared
    dK = W @ S @ W.mT
    dW = 2 * (K @ W @ S).sum(0)
    A = -dK * K / (2 * sigma ** 2)
    d_sigma = -2 / sigma * (A * D).sum((1, 2), keepdim=True)
    inverse = torch.where(D > 0, D.clamp_min(1e-300).rsqrt(), torch.zeros_like(D))
    A = A + d_sigma / (2 * channels * (channels - 1)) * inverse
    return 4 * (A.sum(2, keepdim=True) * M - A @ M), dW


def autograd_gradient(M, W, dV):
    M, W = M.clone().requires_grad_(), W.clone().requires_grad_()
    difference = M.unsqueeze(2) - M.unsqueeze(1)
    D = difference.square().sum(3)
    channels = M.shape[1]
    off = 1 - torch.eye(channels, dtype=M.dtype)
    sigma = ((D + torch.eye(channels, dtype=M.dtype)).sqrt() * off).sum() / (channels * (channels - 1))
    Y = W.mT @ torch.exp(-D / (2 * sigma ** 2)) @ W
    (triangle(Y) * dV).sum().backward()
    return M.grad, W.grad


def gradient_errors():
    torch.manual_seed(1)
    M = torch.rand(1, 12, 20, dtype=torch.float64)
    W = torch.linalg.qr(torch.randn(12, 5, dtype=torch.float64))[0]
    dV = torch.randn(1, 15, dtype=torch.float64)
    pairs = zip(documented_gradient(M, W, dV), autograd_gradient(M, W, dV))
    return [((ours - theirs).norm() / theirs.norm()).item() for ours, theirs in pairs]


def main(arguments):
    torch.set_grad_enabled(False)
    if arguments == ["--gradients"]:
        torch.set_grad_enabled(True)
        print(json.dumps(gradient_errors()))
        return
    model = Model(arguments.pop(0))
    crops = None
    if arguments[0] == "--crops":
        crops, arguments = arguments[1], arguments[2:]
    for path in arguments:
        probabilities, descriptor = model.answer(path, crops)
        answer = {"file": path, "probabilities": dict(zip(model.classes, probabilities.tolist()))}
        print(json.dumps({**answer, "descriptor": descriptor.tolist()}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
