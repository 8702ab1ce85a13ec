/** A client for programs in Java, of one class that needs nothing but the JDK. */
@NullMarked
package io.github.gramian.serve.client;

import org.jspecify.annotations.NullMarked;
