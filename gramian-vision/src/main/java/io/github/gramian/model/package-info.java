/**
 * The network after the backbone: what a config describes becomes a {@link io.github.gramian.model.Network}, a training's
 * result a {@link io.github.gramian.model.StoredModel}, and for inference a {@link io.github.gramian.model.Predictor}.
 */
@NullMarked
package io.github.gramian.model;

import org.jspecify.annotations.NullMarked;
