/** Certificate and key of the server, read again when the files change. */
@NullMarked
package io.github.gramian.serve.tls.internal;

import org.jspecify.annotations.NullMarked;
