package io.github.gramian.cli.label;

import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.report.GalleryPage;
import io.github.gramian.cli.report.GalleryPage.Card;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a check has found, as a page with thumbnails. */
final class DataCheckPage {

    /** A thumbnail takes some 8 kB, so a page of all sections stays below 10 MB. */
    private static final int SHOWN = 200;

    private final DataCheck check;

    DataCheckPage(DataCheck check) {
        this.check = check;
    }

    String html() throws IOException {
        GalleryPage page = new GalleryPage(check.dataset().root(), "Data check", summary());
        section(
                page,
                "Suspicious labels",
                "A classifier that was trained without the image predicts another label. The most suspicious images come first."
                        + " The number compares the probability of the suggested label with that of the given one.",
                check.labels().suspects(),
                suspect -> Stream.of(new Card(
                        suspect.file(),
                        suspect.suggested() + "?",
                        "is labelled " + suspect.given(),
                        String.format(Locale.ROOT, "%.2f", suspect.score()))));
        section(
                page,
                "Duplicates",
                "These photographs show the same. If copies have different labels, no model can learn them.",
                check.duplicates(),
                duplicate -> duplicate.files().stream()
                        .map(file -> new Card(
                                file, duplicate.kind(), duplicate.classesDiffer() ? "in different classes" : "", "")));
        section(
                page,
                "Outliers",
                "These photographs resemble no other. They may show something else, or a class that needs more examples. The"
                        + " number is the distance from the nearest images, in standard deviations above the median.",
                check.labels().outliers(),
                outlier -> Stream.of(new Card(
                        outlier.file(),
                        outlier.given(),
                        "resembles no other image",
                        String.format(Locale.ROOT, "%.1f", outlier.score()))));
        section(
                page,
                "Poor photographs",
                "These photographs are tiny, dark, overexposed, blank or much more blurred than the others.",
                check.inspection().quality(),
                quality -> Stream.of(new Card(quality.path(), quality.problem(), quality.detail(), "")));
        section(
                page,
                "Leaks from training to test",
                "Training and test images show the same. The test accuracy will be too high.",
                check.leaks(),
                leak -> leak.files().stream().map(file -> new Card(file, leak.kind(), "", "")));
        return page.html();
    }

    private String summary() {
        List<DataCheck.ClassSize> sizes = check.sizes();
        DataCheck.ClassSize largest = sizes.get(0);
        DataCheck.ClassSize smallest = sizes.get(sizes.size() - 1);
        return Numbers.count(check.dataset().samples().size(), "image") + ". "
                + Numbers.percent(check.labels().accuracy())
                + " of the labels are predicted without the image itself. The largest class, " + largest.name()
                + ", has "
                + Numbers.count(largest.images(), "image") + "; the smallest, " + smallest.name() + ", has "
                + Numbers.count(smallest.images()) + ". "
                + Numbers.count(check.inspection().broken().size(), "file")
                + " cannot be read.";
    }

    private static <T> void section(
            GalleryPage page, String heading, String reading, List<T> entries, Function<T, Stream<Card>> cards) {
        page.section(
                heading,
                reading,
                entries.stream().limit(SHOWN).flatMap(cards).limit(SHOWN).toList(),
                entries.size());
    }
}
