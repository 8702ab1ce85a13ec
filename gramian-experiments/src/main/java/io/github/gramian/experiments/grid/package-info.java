/**
 * Experiments of many trainings: a grid of methods, datasets, splits and seeds, run one after another
 * over one feature cache, each leaving one small file of results. It stands above {@code train}, which runs each of them.
 */
@NullMarked
package io.github.gramian.experiments.grid;

import org.jspecify.annotations.NullMarked;
