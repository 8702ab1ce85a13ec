"""MPN-COV: square root of the covariance by its eigenvalues (eigh), with a gradient that is safe for equal ones."""

import torch

import harness


class SquareRoot(torch.autograd.Function):
    """S = U diag(sqrt(lambda)) U'. Backward divides by sqrt(lambda_i) + sqrt(lambda_j), never by a gap."""

    @staticmethod
    def forward(context, matrices):
        values, vectors = torch.linalg.eigh(matrices)
        # Rounding makes small eigenvalues negative; anything below this floor is only rounding.
        floor = torch.finfo(values.dtype).eps * values[:, -1:]
        roots = values.clamp_min(0).maximum(floor).sqrt()
        context.save_for_backward(vectors, roots)
        return vectors * roots.unsqueeze(1) @ vectors.mT

    @staticmethod
    def backward(context, gradient):
        vectors, roots = context.saved_tensors
        inner = vectors.mT @ ((gradient + gradient.mT) / 2) @ vectors
        inner = inner / (roots.unsqueeze(2) + roots.unsqueeze(1))
        return vectors @ inner @ vectors.mT


def head(maps):
    return harness.upper_triangle(SquareRoot.apply(harness.covariance(maps)))


if __name__ == "__main__":
    harness.serve("matrix-sqrt", head)
