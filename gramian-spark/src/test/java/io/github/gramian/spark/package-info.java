@NullMarked
package io.github.gramian.spark;

import org.jspecify.annotations.NullMarked;
