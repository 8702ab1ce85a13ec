/**
 * A folder and what a training leaves in it: events, predictions, scores, curves, what the report shows; and evaluation, of a
 * network while it learns and of a saved model afterwards.
 */
@NullMarked
package io.github.gramian.run;

import org.jspecify.annotations.NullMarked;
