/**
 * Distributed training: which processes there are, how they find each other, what they exchange. {@code train} gives each
 * process its shard of a batch and sums their gradients here.
 */
@NullMarked
package io.github.gramian.distributed;

import org.jspecify.annotations.NullMarked;
