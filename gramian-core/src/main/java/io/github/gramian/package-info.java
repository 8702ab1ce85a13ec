/** The root of all exceptions. Every other package may use it. */
@NullMarked
package io.github.gramian;

import org.jspecify.annotations.NullMarked;
