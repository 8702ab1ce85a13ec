/** {@code gramian doctor}: whether this installation computes correctly, and preparation for faster starts. */
@NullMarked
package io.github.gramian.cli.doctor;

import org.jspecify.annotations.NullMarked;
