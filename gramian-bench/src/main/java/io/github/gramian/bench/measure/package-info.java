/** Benchmarks against baselines: the head, backbones, training, several processes, inference, a server under load. */
@NullMarked
package io.github.gramian.bench.measure;

import org.jspecify.annotations.NullMarked;
