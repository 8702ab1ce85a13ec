/**
 * One stage of gradient descent: batches, steps, validation, checkpoints and the health of the network, by one process or by
 * several that share each batch.
 */
@NullMarked
package io.github.gramian.train.stage.internal;

import org.jspecify.annotations.NullMarked;
