"""B-CNN: bilinear pooling of the maps with themselves, signed square root, l2 normalisation."""

import torch

import harness

EPSILON = 1e-5


def head(maps):
    pooled = (maps @ maps.mT / maps.shape[2]).flatten(1)
    # The slope of the square root has no limit at zero; epsilon gives it one.
    rooted = pooled.sign() * (pooled.abs() + EPSILON).sqrt()
    return torch.nn.functional.normalize(rooted)


if __name__ == "__main__":
    harness.serve("bcnn", head)
