package io.github.gramian.model.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.model.Network;

/** The parts of a loaded model that compute gradients. They belong to the model and are freed with it. */
public record Differentiable(Backbone backbone, Network network) {}
