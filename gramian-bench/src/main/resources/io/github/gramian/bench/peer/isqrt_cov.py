"""iSQRT-COV: square root of the covariance by five coupled Newton-Schulz iterations, differentiated by autograd."""

import torch

import harness

ITERATIONS = 5


def square_root(matrices):
    """[batch, n, n] -> [batch, n, n]; divided by the trace before, multiplied by its root after."""
    trace = matrices.diagonal(dim1=1, dim2=2).sum(1).reshape(-1, 1, 1)
    root = matrices / trace
    identity = torch.eye(matrices.shape[-1])
    inverse = identity.expand_as(matrices)
    for _ in range(ITERATIONS):
        factor = 1.5 * identity - 0.5 * inverse @ root
        root, inverse = root @ factor, factor @ inverse
    return root * trace.sqrt()


def head(maps):
    return harness.upper_triangle(square_root(harness.covariance(maps)))


if __name__ == "__main__":
    harness.serve("isqrt-cov", head)
