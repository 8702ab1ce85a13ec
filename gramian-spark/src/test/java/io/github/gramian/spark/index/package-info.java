@NullMarked
package io.github.gramian.spark.index;

import org.jspecify.annotations.NullMarked;
