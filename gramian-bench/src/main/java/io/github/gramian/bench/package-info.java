/**
 * {@code gramian bench}: commands that measure speed on this machine. The command line finds them through {@code
 * META-INF/services}, and works without them.
 */
@NullMarked
package io.github.gramian.bench;

import org.jspecify.annotations.NullMarked;
