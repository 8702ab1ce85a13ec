package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;

/** A chapter of the report. One that writes nothing is left out, heading and all. */
interface Section {

    /** For links inside the page, and with a capital their text: one short word. */
    String id();

    String title();

    /** One plain sentence on how to read it. */
    String reading();

    void write(ShownRun run, Html html);
}
