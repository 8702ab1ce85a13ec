"""The head of the paper for autograd: RBF kernel of the channels, Y = W'KW, upper triangle, power and l2 normalisation."""

import math

import torch

import harness

EPSILON = 1e-3


def rbf_kernel(maps):
    """[batch, C, N] -> [batch, C, C]; sigma is the mean distance of an image's channels, taken for a constant."""
    squares = maps.square().sum(2)
    distances = (squares.unsqueeze(2) + squares.unsqueeze(1) - 2 * maps @ maps.mT).clamp_min(0)
    channels = maps.shape[1]
    pairs = max(1, channels * (channels - 1))
    sigma = distances.detach().sqrt().sum((1, 2), keepdim=True) / pairs
    return torch.exp(-distances / (2 * sigma.square()))


def head(maps, weight):
    matrices = weight.T @ rbf_kernel(maps) @ weight
    n = matrices.shape[-1]
    row, column = torch.triu_indices(n, n)
    # An entry off the diagonal stands for two: sqrt 2 preserves the norm of the matrix.
    scale = torch.where(row == column, 1.0, math.sqrt(2))
    vectors = matrices[:, row, column] * scale
    powered = vectors.sign() * ((vectors.abs() + EPSILON).sqrt() - math.sqrt(EPSILON))
    return powered / powered.norm(dim=1, keepdim=True)


if __name__ == "__main__":
    harness.serve("kernel-spd", head, weighted=True)
