/**
 * The run folder: events, predictions, scores, curves, report data; and evaluation, of a
 * network during training and of a saved model afterwards.
 */
@NullMarked
package io.github.gramian.run;

import org.jspecify.annotations.NullMarked;
