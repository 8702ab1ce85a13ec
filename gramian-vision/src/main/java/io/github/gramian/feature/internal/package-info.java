/**
 * Feature maps of images, in batches: between the backbone and the network on an image's way. Those of a frozen backbone
 * are computed once and cached. A {@link io.github.gramian.feature.internal.FeatureRecipe} records what was computed and how;
 * everything that changes a feature is part of it. A {@link io.github.gramian.feature.internal.FeatureCache} finds features by the
 * recipe and the content of an image's file, wherever that file lies and whatever it is called.
 *
 * <p>A {@link io.github.gramian.feature.internal.FeatureRequest} describes the features that a network needs; a {@link
 * io.github.gramian.feature.internal.BatchSource} delivers it, from the cache or from a backbone that is being trained.
 */
@NullMarked
package io.github.gramian.feature.internal;

import org.jspecify.annotations.NullMarked;
