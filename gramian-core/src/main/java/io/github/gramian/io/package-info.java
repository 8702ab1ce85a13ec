/**
 * What every other package stands on and what needs the JDK alone: files that are complete or absent ({@link
 * io.github.gramian.io.AtomicFile}), checksums ({@link io.github.gramian.io.Sha256}), tar archives ({@link
 * io.github.gramian.io.TarReader}), and work on other threads ({@link
 * io.github.gramian.io.ParallelWork}, {@link io.github.gramian.io.Futures}).
 */
@NullMarked
package io.github.gramian.io;

import org.jspecify.annotations.NullMarked;
