/** Native libraries: unpacked from their jars to a folder that only this user can write to, before one is loaded. */
@NullMarked
package io.github.gramian.natives.internal;

import org.jspecify.annotations.NullMarked;
