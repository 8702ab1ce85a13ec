@NullMarked
package io.github.gramian.spark.cluster;

import org.jspecify.annotations.NullMarked;
