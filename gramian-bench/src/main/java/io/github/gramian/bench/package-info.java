/** Microbenchmarks of single layers and retractions, to find out where time goes. */
@NullMarked
package io.github.gramian.bench;

import org.jspecify.annotations.NullMarked;
