/**
 * Where an image's way is counted: scores, and the passport that says under which protocol a score was made. It needs the
 * JDK alone, so that scores can be read and compared wherever there is a Java.
 */
@NullMarked
package io.github.gramian.eval;

import org.jspecify.annotations.NullMarked;
