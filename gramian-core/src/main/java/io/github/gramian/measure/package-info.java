/**
 * Measurements and self-tests that users can run: gradient checks for their own layers, the slope test, the health check
 * behind {@code gramian doctor} and the comparisons behind {@code gramian bench}. It stands above everything and nothing
 * stands on it.
 */
@NullMarked
package io.github.gramian.measure;

import org.jspecify.annotations.NullMarked;
