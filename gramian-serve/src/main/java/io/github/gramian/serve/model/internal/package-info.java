/** The models that are served, by name and version: loaded, warmed up, replaced while they work. */
@NullMarked
package io.github.gramian.serve.model.internal;

import org.jspecify.annotations.NullMarked;
