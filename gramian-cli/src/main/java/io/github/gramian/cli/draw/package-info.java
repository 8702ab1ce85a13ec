/** {@code gramian draw}: one image on its way through a model, and where the model looked. */
@NullMarked
package io.github.gramian.cli.draw;

import org.jspecify.annotations.NullMarked;
