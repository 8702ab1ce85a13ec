/** From the images of a request to the model's batches: limits on the work, a fair queue, and threads that decode. */
@NullMarked
package io.github.gramian.serve.decoding.internal;

import org.jspecify.annotations.NullMarked;
