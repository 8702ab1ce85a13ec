/** Shared by commands: error messages, progress, JSON, text files, temporary folders, the start script. */
@NullMarked
package io.github.gramian.cli.common;

import org.jspecify.annotations.NullMarked;
