/**
 * How time and memory grow with the work: sweeps over the head's sizes, the rate of the whole way from image file to
 * answer, and the exponents fitted to both. {@code gramian bench scale} turns them into a page.
 */
@NullMarked
package io.github.gramian.measure.scale;

import org.jspecify.annotations.NullMarked;
