/** Metrics of the server, for Prometheus and for its page. */
@NullMarked
package io.github.gramian.serve.metrics.internal;

import org.jspecify.annotations.NullMarked;
