/** Requests to answers: Jetty, endpoints, keys, TLS, limits, the page. */
@NullMarked
package io.github.gramian.serve.http.internal;

import org.jspecify.annotations.NullMarked;
