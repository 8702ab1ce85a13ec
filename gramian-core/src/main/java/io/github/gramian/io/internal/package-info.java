/**
 * The base of all other packages, needing only the JDK: atomic file writes ({@link
 * io.github.gramian.io.internal.AtomicFile}), checksums ({@link io.github.gramian.io.internal.Sha256}, {@link
 * io.github.gramian.io.internal.Checksum}), names of files as strings ({@link io.github.gramian.io.internal.FileNames}), strings
 * for messages ({@link io.github.gramian.io.internal.Text}), tar
 * archives ({@link io.github.gramian.io.internal.TarReader}), messages in the wire format of protocol buffers ({@link
 * io.github.gramian.io.internal.ProtobufMessage}), standard output that notices its losses ({@link
 * io.github.gramian.io.internal.StandardOutput}), and work on other threads ({@link
 * io.github.gramian.io.internal.ParallelWork}, {@link io.github.gramian.io.internal.Futures}). It knows Gramian's version
 * ({@link io.github.gramian.io.internal.GramianVersion}), which every module states.
 */
@NullMarked
package io.github.gramian.io.internal;

import org.jspecify.annotations.NullMarked;
