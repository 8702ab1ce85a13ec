/** An index as files: its manifest, its Lucene index, how both are built, searched and verified. */
@NullMarked
package io.github.gramian.similar.index.internal;

import org.jspecify.annotations.NullMarked;
