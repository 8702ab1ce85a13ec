/** Requests of many clients, collected to batches for one network: bounded, with a deadline each. */
@NullMarked
package io.github.gramian.serve.batch.internal;

import org.jspecify.annotations.NullMarked;
