/**
 * The base of all other packages, needing only the JDK: atomic file writes ({@link
 * io.github.gramian.io.AtomicFile}), checksums ({@link io.github.gramian.io.Sha256}), tar archives ({@link
 * io.github.gramian.io.TarReader}), and work on other threads ({@link
 * io.github.gramian.io.ParallelWork}, {@link io.github.gramian.io.Futures}).
 */
@NullMarked
package io.github.gramian.io;

import org.jspecify.annotations.NullMarked;
