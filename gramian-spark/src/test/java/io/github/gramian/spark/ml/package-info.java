@NullMarked
package io.github.gramian.spark.ml;

import org.jspecify.annotations.NullMarked;
