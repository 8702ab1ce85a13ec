/**
 * A training whose processes are the tasks of one barrier stage: Spark finds the machines, {@code distributed} of the core
 * does the talking between them.
 */
@NullMarked
package io.github.gramian.spark.training;

import org.jspecify.annotations.NullMarked;
