/** Many trainings: {@code gramian experiment}. */
@NullMarked
package io.github.gramian.experiments;

import org.jspecify.annotations.NullMarked;
