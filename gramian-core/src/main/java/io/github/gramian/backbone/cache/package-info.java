/**
 * Features of a frozen backbone, computed once and kept: between the backbone and the head on an image's way. A {@link
 * io.github.gramian.backbone.cache.FeatureRecipe} says what was computed and how; everything that changes a number is part
 * of it. A {@link io.github.gramian.backbone.cache.FeatureCache} finds features by the recipe and the content of an
 * image's file, wherever that file lies and whatever it is called.
 */
@NullMarked
package io.github.gramian.backbone.cache;

import org.jspecify.annotations.NullMarked;
