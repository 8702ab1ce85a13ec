package io.github.gramian.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.internal.TrainingSuspects;
import io.github.gramian.run.internal.TrainingSuspects.Suspect;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Training images whose labels are probably wrong. */
final class SuspectsSection implements Section {

    private static final String FILE = "suspects.json";
    private static final int MAX_BYTES = 64 << 20;
    private static final int SHOWN = 24;

    /** The list of a run; empty if it has none, or one that cannot be read, which leaves a note. */
    static Optional<TrainingSuspects> read(RunFiles files) {
        JsonNode tree = files.object(FILE, MAX_BYTES);
        if (tree.isMissingNode()) {
            return Optional.empty();
        }
        try {
            return Optional.of(TrainingSuspects.of(tree));
        } catch (JsonProcessingException e) {
            files.note(FILE + " is not what a training writes and is left out.");
            return Optional.empty();
        }
    }

    @Override
    public String id() {
        return "labels";
    }

    @Override
    public String title() {
        return "Suspicious labels of training images";
    }

    @Override
    public String reading() {
        return "The other training images suggest another label for these. The most suspicious ones come first. A number near 1"
                + " means that the suggested label is much more probable than the given one.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        if (run.suspects().isEmpty()) {
            return;
        }
        TrainingSuspects found = run.suspects().get();
        List<Suspect> shown = found.suspects().stream().limit(SHOWN).toList();
        String images = Numbers.count(found.images(), "image");
        if (shown.isEmpty()) {
            html.raw("<p>Not one of ").text(images).raw(" has a suspicious label.</p>");
            return;
        }
        html.raw("<p class=\"caption\">")
                .text(Numbers.count(found.suspects().size()) + " of " + images
                        + (found.suspects().size() == 1 ? " has" : " have") + " a suspicious label; "
                        + Numbers.count(shown.size()) + (shown.size() == 1 ? " is" : " are")
                        + " shown. The file suspects.json has all of them.")
                .raw("</p><ul class=\"gallery\">");
        Thumbnails thumbnails = new Thumbnails(run.scores().origin().root());
        for (Suspect suspect : shown) {
            GalleryPage.card(
                    new GalleryPage.Card(
                            suspect.file(),
                            name(suspect.suggested()) + "?",
                            "is labelled " + name(suspect.given()),
                            String.format(Locale.ROOT, "%.2f", suspect.score())),
                    thumbnails,
                    html);
        }
        html.raw("</ul>");
    }

    private static String name(String label) {
        return Text.shortened(label, RunFiles.MAX_CHARACTERS_OF_A_NAME);
    }
}
