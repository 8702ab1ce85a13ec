/**
 * The last package on an image's way: the results of a run on one page.
 *
 * <p>{@link io.github.gramian.cli.report.Report} reads a run's folder and writes {@code report.html}, which needs neither
 * a network nor anything in addition to it. Names of classes and files are untrusted: they enter the page only through
 * {@code Html.text}. Missing or broken files are left out with a note, never an error.
 */
@NullMarked
package io.github.gramian.cli.report;

import org.jspecify.annotations.NullMarked;
