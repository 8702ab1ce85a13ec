/** Whether answers can be trusted: wrong and missing labels, groups, unknown images, sets of classes, maps of contributions. */
@NullMarked
package io.github.gramian.bench.quality;

import org.jspecify.annotations.NullMarked;
