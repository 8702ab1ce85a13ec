/**
 * The third package on an image's way: networks that turn normalised images into feature maps. A {@link
 * io.github.gramian.backbone.Backbone} is a network with its weights: a built-in one, which a {@link
 * io.github.gramian.backbone.internal.Plan} describes, or a TorchScript file. A {@link io.github.gramian.backbone.BackboneStep}
 * describes what a built-in one computes, for writers of other formats. The package {@code
 * io.github.gramian.backbone.weights} reads the weights.
 *
 * <p>Backbones use LibTorch's autograd; the head after them does not.
 */
@NullMarked
package io.github.gramian.backbone;

import org.jspecify.annotations.NullMarked;
