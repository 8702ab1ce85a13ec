package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.eval.ClassScore;

/** Precision, recall and F1 of every class as bars in a table that can be sorted. */
final class PerClassSection implements Section {

    @Override
    public String id() {
        return "classes";
    }

    @Override
    public String title() {
        return "Class by class";
    }

    @Override
    public String reading() {
        return "Recall is the fraction of a class's images that were predicted correctly, precision the fraction of correct ones among all"
                + " predictions of this class, and F1 lies between the two; click a heading to sort.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        if (run.scores().classes().scores().isEmpty()) {
            return;
        }
        html.raw("<div class=\"scroll tall\" tabindex=\"0\"><table class=\"bars sortable\"><thead><tr>");
        heading(html, "Class", "ascending");
        heading(html, "Images", "none");
        heading(html, "Recall", "none");
        heading(html, "Precision", "none");
        heading(html, "F1", "none");
        html.raw("</tr></thead><tbody>");
        int place = 0;
        for (ClassScore score : run.scores().classes().scores()) {
            html.raw("<tr><th scope=\"row\" data-value=\"" + place++ + "\"")
                    .attribute("title", score.name())
                    .raw(">")
                    .text(score.name())
                    .raw("</th><td data-value=\"" + score.support() + "\">"
                            + (score.support() < 0 ? "–" : Numbers.count(score.support())) + "</td>");
            bar(html, score.recall(), "b0");
            bar(html, score.precision(), "b1");
            bar(html, score.f1(), "b2");
            html.raw("</tr>");
        }
        html.raw("</tbody></table></div>");
    }

    private static void heading(Html html, String name, String order) {
        html.raw("<th scope=\"col\" aria-sort=\"" + order + "\"><button type=\"button\">" + name + "</button></th>");
    }

    private static void bar(Html html, double share, String style) {
        double shown = Double.isFinite(share) ? Math.max(0, Math.min(1, share)) : 0;
        html.raw("<td data-value=\"" + (Double.isFinite(share) ? share : -1) + "\"><span class=\"bar " + style
                        + "\"><i style=\"width:")
                .number(100 * shown)
                .raw("%\"></i></span><span>")
                .text(Numbers.percent(share))
                .raw("</span></td>");
    }
}
