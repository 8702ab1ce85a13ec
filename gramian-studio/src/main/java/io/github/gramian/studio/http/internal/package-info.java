/** The page of the studio and the addresses that it calls. */
@NullMarked
package io.github.gramian.studio.http.internal;

import org.jspecify.annotations.NullMarked;
