/**
 * The third package on an image's way: convolutional networks that turn normalised images into feature maps. A {@link
 * io.github.gramian.backbone.internal.Plan} says what a network is made of, a {@link io.github.gramian.backbone.Backbone} is a plan
 * with weights, and {@link io.github.gramian.backbone.BackboneStep} what it computes, for writers of other formats. Weights are read by {@code io.github.gramian.backbone.weights}.
 *
 * <p>Backbones use LibTorch's autograd; the head behind them does not.
 */
@NullMarked
package io.github.gramian.backbone;

import org.jspecify.annotations.NullMarked;
