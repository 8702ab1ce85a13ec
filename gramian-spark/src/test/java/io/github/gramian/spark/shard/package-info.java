@NullMarked
package io.github.gramian.spark.shard;

import org.jspecify.annotations.NullMarked;
