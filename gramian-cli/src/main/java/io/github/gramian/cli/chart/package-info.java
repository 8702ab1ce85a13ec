/** Charts and numbers for pages: escaped HTML, axes with round ticks, curves. */
@NullMarked
package io.github.gramian.cli.chart;

import org.jspecify.annotations.NullMarked;
