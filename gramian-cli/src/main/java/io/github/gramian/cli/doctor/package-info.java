/** {@code gramian doctor}: whether this installation computes right, and what makes later starts quick. */
@NullMarked
package io.github.gramian.cli.doctor;

import org.jspecify.annotations.NullMarked;
