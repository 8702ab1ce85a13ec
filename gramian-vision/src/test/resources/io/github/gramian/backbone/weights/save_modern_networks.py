"""Saves seeded ConvNeXt and DINOv2 networks under the names of each publisher, with images and the features of all layers.

usage: save_modern_networks.py FOLDER NETWORK...   (convnext_tiny, convnext_small, convnext_base, vits14, vitb14, vitl14)
"""
import math
import re
import sys

import torch
import torchvision
from torch.nn import functional

from save_networks import save_safetensors

PATCH, GRID, HEAD = 14, 37, 64
VIT = {"vits14": (12, 6), "vitb14": (12, 12), "vitl14": (24, 16)}


class Block(torch.nn.Module):
    """x + s1 * attention(norm(x)), then x + s2 * mlp(norm(x))."""

    def __init__(self, heads):
        super().__init__()
        dim = heads * HEAD
        self.heads = heads
        self.norm1 = torch.nn.LayerNorm(dim, eps=1e-6)
        self.attn = torch.nn.Module()
        self.attn.qkv = torch.nn.Linear(dim, 3 * dim)
        self.attn.proj = torch.nn.Linear(dim, dim)
        self.ls1 = torch.nn.Module()
        self.ls1.gamma = torch.nn.Parameter(torch.empty(dim))
        self.norm2 = torch.nn.LayerNorm(dim, eps=1e-6)
        self.mlp = torch.nn.Module()
        self.mlp.fc1 = torch.nn.Linear(dim, 4 * dim)
        self.mlp.fc2 = torch.nn.Linear(4 * dim, dim)
        self.ls2 = torch.nn.Module()
        self.ls2.gamma = torch.nn.Parameter(torch.empty(dim))

    def forward(self, x):
        batch, tokens, dim = x.shape
        parts = self.attn.qkv(self.norm1(x)).split(dim, dim=2)
        q, k, v = (part.view(batch, tokens, self.heads, HEAD).transpose(1, 2) for part in parts)
        weights = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(HEAD), dim=3)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, tokens, dim)
        x = x + self.ls1.gamma * self.attn.proj(mixed)
        inner = self.mlp.fc1(self.norm2(x))
        inner = 0.5 * inner * (1 + torch.erf(inner / math.sqrt(2)))
        return x + self.ls2.gamma * self.mlp.fc2(inner)


class Transformer(torch.nn.Module):
    """DINOv2's vision transformer; registers stand between the class token and the patches and have no positions."""

    def __init__(self, depth, heads, registers):
        super().__init__()
        dim = heads * HEAD
        self.cls_token = torch.nn.Parameter(torch.empty(1, 1, dim))
        self.pos_embed = torch.nn.Parameter(torch.empty(1, 1 + GRID * GRID, dim))
        self.mask_token = torch.nn.Parameter(torch.zeros(1, dim))
        if registers:
            self.register_tokens = torch.nn.Parameter(torch.empty(1, registers, dim))
        self.registers = registers
        self.patch_embed = torch.nn.Module()
        self.patch_embed.proj = torch.nn.Conv2d(3, dim, PATCH, PATCH)
        self.blocks = torch.nn.ModuleList(Block(heads) for _ in range(depth))
        self.norm = torch.nn.LayerNorm(dim, eps=1e-6)

    def positions(self, rows, columns, smooth):
        stored = self.pos_embed[:, 1:]
        if (rows, columns) == (GRID, GRID):
            return stored
        grid = stored.transpose(1, 2).reshape(1, -1, GRID, GRID)
        if smooth:
            grid = functional.interpolate(grid, size=(rows, columns), mode="bicubic", antialias=True)
        else:
            factors = ((rows + 0.1) / GRID, (columns + 0.1) / GRID)
            grid = functional.interpolate(grid, scale_factor=factors, mode="bicubic")
        return grid.flatten(2).transpose(1, 2)

    def features(self, images, smooth, last=True):
        maps = self.patch_embed.proj(images)
        batch, dim, rows, columns = maps.shape
        patches = maps.flatten(2).transpose(1, 2) + self.positions(rows, columns, smooth)
        front = [(self.cls_token + self.pos_embed[:, :1]).expand(batch, -1, -1)]
        if self.registers:
            front.append(self.register_tokens.expand(batch, -1, -1))
        x = torch.cat(front + [patches], dim=1)

        def as_maps(tokens):
            return tokens[:, 1 + self.registers:].transpose(1, 2).reshape(batch, dim, rows, columns)

        found = {"embed": as_maps(x)}
        if not last:
            return found
        for index, block in enumerate(self.blocks, 1):
            x = block(x)
            if index == len(self.blocks):
                x = self.norm(x)
            found[f"block{index}"] = as_maps(x)
        found["cls"] = x[:, 0]
        return found


def shake(model):
    """Gives every weight something to do: norms and scales that are not the identity, biases that are not zero."""
    for name, weight in model.named_parameters():
        if name.endswith("layer_scale") or name.endswith("gamma"):
            torch.nn.init.uniform_(weight, 0.1, 0.5)
        elif weight.dim() == 1 and name.endswith("weight"):
            torch.nn.init.uniform_(weight, 0.5, 1.5)
        elif weight.dim() == 1 or name.endswith("token") or name.endswith("tokens") or name == "pos_embed":
            torch.nn.init.normal_(weight, 0, 0.3)
        else:
            torch.nn.init.normal_(weight, 0, 1 / math.sqrt(weight[0].numel()))


def convnext_features(model, images):
    found, x = {"stem": model.features[0](images)}, model.features[0](images)
    for stage in range(1, 5):
        if stage > 1:
            x = model.features[2 * stage - 2](x)
        for index, block in enumerate(model.features[2 * stage - 1], 1):
            x = block(x)
            found[f"stage{stage}_{index}"] = x
    pooled = model.classifier[1](model.classifier[0](model.avgpool(x)))
    return {**found, "pool": pooled, "fc": model.classifier[2](pooled)}


def convnext_renamed(state, block, halving, stem, single):
    """torchvision's names in another publisher's way."""
    renamed = {}
    for name, weight in state.items():
        inside = re.match(r"features\.([1357])\.(\d+)\.(block\.\d|layer_scale)(.*)", name)
        between = re.match(r"features\.([0246])\.([01])(.*)", name)
        if inside:
            stage, part = int(inside[1]) // 2, dict(zip(("block.0", "block.2", "block.3", "block.5", "layer_scale"),
                                                        block[1:]))[inside[3]]
            name = block[0].format(stage, inside[2]) + part + inside[4]
            weight = weight.flatten() if inside[3] == "layer_scale" else weight
        elif between:
            stage = int(between[1]) // 2
            name = (stem if stage == 0 else halving).format(stage) + between[2] + between[3]
        else:
            name = name.replace("classifier.0", single[0]).replace("classifier.2", single[1])
        renamed[name] = weight
    return renamed


def save_convnext(folder, name):
    torch.manual_seed(7)
    model = getattr(torchvision.models, name)().eval()
    shake(model)
    state = model.state_dict()
    torch.save(state, f"{folder}/{name}-torchvision")
    if name == "convnext_tiny":
        save_safetensors(f"{folder}/{name}-timm", convnext_renamed(
            state, ("stages.{}.blocks.{}.", "conv_dw", "norm", "mlp.fc1", "mlp.fc2", "gamma"),
            "stages.{}.downsample.", "stem.", ("head.norm", "head.fc")))
        torch.save({"model": convnext_renamed(
            state, ("stages.{}.{}.", "dwconv", "norm", "pwconv1", "pwconv2", "gamma"),
            "downsample_layers.{}.", "downsample_layers.{}.", ("norm", "head"))}, f"{folder}/{name}-original")
    expected = {}
    for number, (height, width) in enumerate(((64, 96), (112, 112))):
        images = torch.randn(2, 3, height, width)
        expected[f"images@{number}"] = images
        for tap, value in convnext_features(model, images).items():
            expected[f"{tap}@{number}"] = value
    save_safetensors(f"{folder}/{name}-expected", expected)


def save_transformer(folder, name, registers):
    torch.manual_seed(8)
    model = Transformer(*VIT[name], registers).eval()
    shake(model)
    state = model.state_dict()
    variants = {"dinov2-registers": True} if registers else {"dinov2": False, "timm": True}
    torch.save(state, f"{folder}/{name}-" + ("dinov2-registers" if registers else "dinov2"))
    if name == "vits14":
        theirs = {key: weight for key, weight in state.items() if key != "mask_token"}
        if registers:
            theirs["reg_token"] = theirs.pop("register_tokens")
            theirs["cls_token"] = theirs["cls_token"] + theirs["pos_embed"][:, :1]
            theirs["pos_embed"] = theirs["pos_embed"][:, 1:]
        save_safetensors(f"{folder}/{name}-timm" + ("-registers" if registers else ""), theirs)
    images = [torch.randn(2, 3, *size) for size in ((56, 84), (112, 112))]
    native = torch.randn(1, 3, GRID * PATCH, GRID * PATCH)
    for variant, smooth in variants.items():
        expected = {"images@2": native, "embed@2": model.features(native, smooth, last=False)["embed"]}
        for number, one in enumerate(images):
            expected[f"images@{number}"] = one
            for tap, value in model.features(one, smooth).items():
                expected[f"{tap}@{number}"] = value
        save_safetensors(f"{folder}/{name}-{variant}-expected", expected)


if __name__ == "__main__":
    with torch.no_grad():
        for wanted in sys.argv[2:]:
            if wanted in VIT:
                save_transformer(sys.argv[1], wanted, 0)
                save_transformer(sys.argv[1], wanted, 4)
            else:
                save_convnext(sys.argv[1], wanted)
