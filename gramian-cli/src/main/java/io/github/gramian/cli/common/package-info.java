/** What commands share: failures told to users, progress, JSON, temporary folders, the start script. */
@NullMarked
package io.github.gramian.cli.common;

import org.jspecify.annotations.NullMarked;
