/**
 * Readers of datasets in the folder trees their authors publish, and of your own folders and lists. Each {@link
 * io.github.gramian.dataset.layout.internal.Layout} knows its own tree, refuses others with advice, and offers the
 * evaluation protocols of the dataset.
 *
 * <p>List files are untrusted: no line of theirs may name a file outside the root.
 */
@NullMarked
package io.github.gramian.dataset.layout.internal;

import org.jspecify.annotations.NullMarked;
