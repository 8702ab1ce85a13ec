/** JSON, written and read in one way by all modules. */
@NullMarked
package io.github.gramian.json.internal;

import org.jspecify.annotations.NullMarked;
