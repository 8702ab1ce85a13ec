/**
 * The base of all computation: ownership of native memory ({@link io.github.gramian.tensor.Scope}), where and how precisely
 * values are computed ({@link io.github.gramian.tensor.Placement}), where randomness comes from ({@link
 * io.github.gramian.tensor.Seed}), and what the engine on this machine can do ({@link io.github.gramian.tensor.internal.Engine}).
 * In addition, a computation with its backward pass ({@link io.github.gramian.tensor.Pass}).
 *
 * <p>Tensors on disk are safetensors files ({@code io.github.gramian.tensor.safetensors.internal}), written so that a crash
 * leaves the old file or the new one ({@link io.github.gramian.io.internal.AtomicFile}).
 *
 * <p>Tensors themselves are LibTorch's; nothing here wraps their operations.
 */
@NullMarked
package io.github.gramian.tensor;

import org.jspecify.annotations.NullMarked;
