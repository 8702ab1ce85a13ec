/**
 * The first package on an image's way: which images there are, their labels, and which are training, validation or test
 * images.
 *
 * <p>A {@code Layout} reads an official tree into a {@link
 * io.github.gramian.dataset.internal.DividedDataset.Listing}; a {@link io.github.gramian.dataset.internal.Protocol} divides the listing; the result is a
 * {@link io.github.gramian.dataset.Dataset}, whose files {@code image} decodes next. Nothing here depends on the order in
 * which a file system lists its files.
 */
@NullMarked
package io.github.gramian.dataset;

import org.jspecify.annotations.NullMarked;
