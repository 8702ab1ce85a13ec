@NullMarked
package io.github.gramian.spark.executor;

import org.jspecify.annotations.NullMarked;
