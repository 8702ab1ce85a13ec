/**
 * Where a backbone's weights come from: readers for the formats that weights are published in, the import that turns any of
 * them into one checked safetensors file, and the download that happens only when it is asked for.
 *
 * <p>Every file read here is untrusted. No reader executes content of a file, trusts a length before it is checked
 * against the file's size, or guesses the meaning of an unknown name. See docs/decisions/0004-weights-and-pickles.md.
 */
@NullMarked
package io.github.gramian.backbone.weights;

import org.jspecify.annotations.NullMarked;
