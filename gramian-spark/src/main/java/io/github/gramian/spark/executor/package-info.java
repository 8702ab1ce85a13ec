/**
 * Inference inside an executor: the middle of an image's way through Spark, from its bytes to a prediction or to the reason
 * of its rejection. {@link io.github.gramian.spark.executor.ExecutorModel} is the one copy of the model that a JVM holds;
 * {@link io.github.gramian.spark.executor.ImageBatcher} feeds it.
 */
@NullMarked
package io.github.gramian.spark.executor;

import org.jspecify.annotations.NullMarked;
