/**
 * Where a backbone's weights come from: readers for the formats that weights are published in, the import that turns any of
 * them into one checked safetensors file, and the download that happens only when it is asked for.
 *
 * <p>Everything read here is foreign. No reader runs anything that stands in a file, believes a length before it is checked
 * against the file's own, or guesses at a name it does not know. See docs/decisions/0004-weights-and-pickles.md.
 */
@NullMarked
package io.github.gramian.backbone.weights;

import org.jspecify.annotations.NullMarked;
