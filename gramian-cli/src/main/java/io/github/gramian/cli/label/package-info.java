/** {@code gramian data check}: what is probably wrong with a folder of labelled photographs, as text, JSON, CSV or a page. */
@NullMarked
package io.github.gramian.cli.label;

import org.jspecify.annotations.NullMarked;
