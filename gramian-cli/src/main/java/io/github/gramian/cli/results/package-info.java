/** Results of grids for people: tables in Markdown, a figure a dataset, published figures beside ours. */
@NullMarked
package io.github.gramian.cli.results;

import org.jspecify.annotations.NullMarked;
