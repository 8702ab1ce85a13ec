package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.internal.PredictionsFile;
import java.util.Optional;

/** The most confident mistakes: often mislabelled images. */
final class MistakesSection implements Section {

    @Override
    public String id() {
        return "mistakes";
    }

    @Override
    public String title() {
        return "Most confident mistakes";
    }

    @Override
    public String reading() {
        return "These test images were predicted incorrectly with the highest confidence; look here first for wrong labels and"
                + " for classes that look alike.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        Mistakes mistakes = run.mistakes();
        if (mistakes.total() == 0) {
            return;
        }
        if (mistakes.wrong() == 0) {
            html.raw("<p>Not one of ")
                    .text(Numbers.count(mistakes.total(), "image"))
                    .raw(" was predicted incorrectly.</p>");
            return;
        }
        Thumbnails thumbnails = new Thumbnails(run.scores().origin().root());
        html.raw("<p class=\"caption\">")
                .text(Numbers.count(mistakes.wrong()) + " of " + Numbers.count(mistakes.total(), "image")
                        + " were predicted incorrectly; "
                        + Numbers.count(mistakes.mostConfident().size())
                        + (mistakes.mostConfident().size() == 1 ? " is" : " are") + " shown.")
                .raw("</p>");
        if (!run.maps().pairs().isEmpty()) {
            html.raw(
                    "<p class=\"caption\">Below an image: where the model looked for the predicted class (left) and for the"
                            + " true class (right). Bright areas raised the score.</p>");
        }
        html.raw("<ul class=\"gallery\">");
        for (PredictionsFile.Line mistake : mistakes.mostConfident()) {
            card(run, mistake, thumbnails.of(mistake.id()), html);
        }
        html.raw("</ul>");
    }

    private static void card(ShownRun run, PredictionsFile.Line mistake, Optional<String> picture, Html html) {
        ShownScores scores = run.scores();
        String truth = scores.className(mistake.truth());
        html.raw("<li><figure>");
        picture(picture, "An image of " + truth, html);
        MistakeMaps.Pair maps = run.maps().pairs().get(mistake.id());
        if (maps != null) {
            html.raw("<div class=\"where\">");
            map(maps.predicted(), scores.className(mistake.predicted()), html);
            map(maps.truth(), truth, html);
            html.raw("</div>");
        }
        html.raw("<figcaption><span class=\"predicted\">")
                .text(scores.className(mistake.predicted()))
                .raw("</span><span class=\"truth\">is ")
                .text(truth)
                .raw("</span><span class=\"file\">")
                .text(Text.shortened(mistake.id(), RunFiles.MAX_CHARACTERS))
                .raw("</span><span class=\"sure\">")
                .text(Numbers.percent(mistake.confidence()))
                .raw("</span></figcaption></figure></li>");
    }

    private static void map(String address, String className, Html html) {
        html.raw("<img src=\"" + address + "\"")
                .attribute("alt", "Where the model looked for " + className)
                .raw(">");
    }

    /** An image, or an empty frame with a note that the file is gone. */
    static void picture(Optional<String> address, String alternative, Html html) {
        if (address.isPresent()) {
            html.raw("<img src=\"" + address.get() + "\"")
                    .attribute("alt", alternative)
                    .raw(">");
        } else {
            html.raw("<div class=\"gone\" role=\"img\"")
                    .attribute("aria-label", alternative + ", file not found")
                    .raw(">file not found</div>");
        }
    }
}
