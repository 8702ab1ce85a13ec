/**
 * A model as a stage of Spark ML: {@link io.github.gramian.spark.ml.GramianTransformer} adds predictions, probabilities and
 * descriptors to any table with a column of image files. Next to {@code job}, not above it: pipelines themselves retry nothing.
 */
@NullMarked
package io.github.gramian.spark.ml;

import org.jspecify.annotations.NullMarked;
