/** Many trainings: {@code gramian experiment}. */
@NullMarked
package io.github.gramian.cli.experiment;

import org.jspecify.annotations.NullMarked;
