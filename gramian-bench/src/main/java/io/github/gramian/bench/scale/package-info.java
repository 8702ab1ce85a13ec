/**
 * How time and memory grow with the work: sweeps over the head's sizes, the rate of the whole way from image file to
 * answer, the exponents fitted to both, and the page that {@code gramian bench scale} writes of them.
 */
@NullMarked
package io.github.gramian.bench.scale;

import org.jspecify.annotations.NullMarked;
