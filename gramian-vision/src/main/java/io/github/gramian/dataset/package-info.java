/**
 * Where an image's way begins: which images there are, what they show, and which of them train, validate or test.
 *
 * <p>A {@code Layout} reads an official tree into a {@link
 * io.github.gramian.dataset.Listing}; a {@link io.github.gramian.dataset.Protocol} divides the listing; the result is a
 * {@link io.github.gramian.dataset.Dataset}, whose files {@code image} decodes next. Nothing here depends on the order in
 * which a file system lists its files.
 */
@NullMarked
package io.github.gramian.dataset;

import org.jspecify.annotations.NullMarked;
