/** Microbenchmarks of single layers and retractions, to find out where time goes. */
@NullMarked
package io.github.gramian.bench.jmh;

import org.jspecify.annotations.NullMarked;
