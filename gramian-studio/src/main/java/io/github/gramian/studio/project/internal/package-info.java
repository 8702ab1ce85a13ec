/** Photographs, their labels and pictures, the labelling session, training and prediction; independent of HTTP. */
@NullMarked
package io.github.gramian.studio.project.internal;

import org.jspecify.annotations.NullMarked;
