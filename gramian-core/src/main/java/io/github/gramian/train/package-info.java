/**
 * Where descriptors become a model: the room behind {@code model}, which runs the image's way back. Training in closed
 * form lives here: {@link io.github.gramian.train.RidgeClassifier} fits a linear classifier to the descriptors of a
 * frozen network from their Gram matrix, chooses its penalty by exact leave-one-out or by validation, and calibrates its
 * probabilities.
 */
@NullMarked
package io.github.gramian.train;

import org.jspecify.annotations.NullMarked;
