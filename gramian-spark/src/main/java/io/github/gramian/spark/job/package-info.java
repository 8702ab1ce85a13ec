/**
 * Describing a folder of shards as a whole: the end of an image's way through Spark, where descriptors become rows of a table.
 * {@link io.github.gramian.spark.job.DescribeJob} works in waves; even after failures, every image ends up in exactly one row,
 * either described or in quarantine.
 */
@NullMarked
package io.github.gramian.spark.job;

import org.jspecify.annotations.NullMarked;
