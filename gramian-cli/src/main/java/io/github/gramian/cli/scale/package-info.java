/**
 * The page that {@code gramian bench scale} writes: what work costs, how the cost grows, and how both were measured. The
 * measuring itself is the core's.
 */
@NullMarked
package io.github.gramian.cli.scale;

import org.jspecify.annotations.NullMarked;
