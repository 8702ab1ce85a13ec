@NullMarked
package io.github.gramian.spark.job;

import org.jspecify.annotations.NullMarked;
