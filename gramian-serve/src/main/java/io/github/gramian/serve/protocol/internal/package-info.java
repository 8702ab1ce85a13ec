/** Open Inference Protocol v2 and its extensions as functions of bytes: nothing of HTTP is in here. */
@NullMarked
package io.github.gramian.serve.protocol.internal;

import org.jspecify.annotations.NullMarked;
