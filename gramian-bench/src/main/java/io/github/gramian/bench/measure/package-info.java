/** Benchmarks against baselines: the head, backbones, training, several processes. */
@NullMarked
package io.github.gramian.bench.measure;

import org.jspecify.annotations.NullMarked;
