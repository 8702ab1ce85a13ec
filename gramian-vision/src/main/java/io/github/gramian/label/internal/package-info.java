/**
 * Labels and the images that carry them: which labels are probably wrong, and which images resemble no other. It stands above
 * {@code train}, whose classifier in closed form predicts every image exactly as if it had never been seen.
 */
@NullMarked
package io.github.gramian.label.internal;

import org.jspecify.annotations.NullMarked;
