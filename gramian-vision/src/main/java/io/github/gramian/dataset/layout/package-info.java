/**
 * The threshold: readers of datasets in the trees their authors publish, and of anybody's folders and lists. Each {@link
 * io.github.gramian.dataset.layout.Layout} knows its own tree, tells a wrong one apart with advice, and brings the
 * protocols under which the dataset is measured.
 *
 * <p>List files are untrusted: no line of theirs may name a file outside the root.
 */
@NullMarked
package io.github.gramian.dataset.layout;

import org.jspecify.annotations.NullMarked;
