@NullMarked
package io.github.gramian.train;

import org.jspecify.annotations.NullMarked;
