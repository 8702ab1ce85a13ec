/**
 * Results for people: {@code gramian tables} and {@code gramian compare}; tables in Markdown, a figure a dataset, published
 * figures beside ours.
 */
@NullMarked
package io.github.gramian.cli.results;

import org.jspecify.annotations.NullMarked;
