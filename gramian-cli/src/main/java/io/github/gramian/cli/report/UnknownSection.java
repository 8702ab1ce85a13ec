package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.run.internal.CalledUnknown;

/** How many of the test images are called unknown, at the usual levels. */
final class UnknownSection implements Section {

    @Override
    public String id() {
        return "unknown";
    }

    @Override
    public String title() {
        return "Unknown images";
    }

    @Override
    public String reading() {
        return "An image is called unknown if its novelty is below the level. The evaluated images are known, so these are"
                + " false alarms: choose the highest level whose false alarms you accept.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        run.certainty().unknown().ifPresent(counts -> {
            html.raw("<table><thead><tr><th>level</th><th>called unknown, of " + Numbers.count(counts.images(), "image")
                    + "</th><th>share</th></tr></thead><tbody>");
            for (CalledUnknown.Level one : counts.levels()) {
                html.raw("<tr><td>" + one.level() + "</td>")
                        .raw(
                                one.needed() > 0
                                        ? "<td>needs " + one.needed() + " training images</td><td>–</td></tr>"
                                        : "<td>" + one.unknown() + "</td><td>"
                                                + Numbers.percent((double) one.unknown() / counts.images())
                                                + "</td></tr>");
            }
            html.raw("</tbody></table>");
        });
    }
}
