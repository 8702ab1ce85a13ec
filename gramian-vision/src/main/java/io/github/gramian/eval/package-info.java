/**
 * Predictions, their scores, and the evaluation protocol under which a score was measured. It needs only the
 * JDK, so that scores can be read and compared without the engine.
 */
@NullMarked
package io.github.gramian.eval;

import org.jspecify.annotations.NullMarked;
