/**
 * Many images on many machines: the application for {@code spark-submit}. {@code shard} finds the images, {@code
 * executor} holds the model in every executor, {@code job} makes a table of a whole folder, {@code ml} is the stage for
 * pipelines, {@code training} starts the processes of a training.
 *
 * <p>Uses the libraries, never LibTorch itself; no other module depends on this one.
 */
@NullMarked
package io.github.gramian.spark;

import org.jspecify.annotations.NullMarked;
