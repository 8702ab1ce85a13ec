/** What commands share: error messages, progress, JSON, files of text, temporary folders, the start script. */
@NullMarked
package io.github.gramian.cli.common;

import org.jspecify.annotations.NullMarked;
