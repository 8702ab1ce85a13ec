/**
 * Several processes that train one network together: who they are, how they meet, what they exchange. It stands beside the
 * image's way: {@code train} gives each process its part of a batch and adds up their gradients here.
 */
@NullMarked
package io.github.gramian.distributed;

import org.jspecify.annotations.NullMarked;
