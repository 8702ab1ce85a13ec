/**
 * Results for people: {@code gramian tables} writes pages with tables in Markdown, one figure per dataset, and published
 * figures next to ours.
 */
@NullMarked
package io.github.gramian.experiments.results;

import org.jspecify.annotations.NullMarked;
