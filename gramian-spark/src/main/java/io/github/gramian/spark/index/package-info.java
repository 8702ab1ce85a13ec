/**
 * Indexes of described tables: {@link io.github.gramian.spark.index.IndexJob} builds one Lucene index per part of a table, and
 * {@link io.github.gramian.spark.index.SearchJob} searches all of them and merges. Every index has the format of
 * {@code gramian index}.
 */
@NullMarked
package io.github.gramian.spark.index;

import org.jspecify.annotations.NullMarked;
