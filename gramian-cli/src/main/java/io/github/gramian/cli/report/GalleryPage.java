package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.io.internal.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A page of photographs in sections. Pictures and style are inside; it has no program and loads nothing from a network. */
public final class GalleryPage {

    private final Thumbnails thumbnails;
    private final Html body = new Html();
    private final String title;
    private final String summary;

    /**
     * A photograph with what is said about it.
     *
     * @param file path relative to the root
     * @param headline in strong letters
     * @param detail below the headline
     * @param value at the right, such as a score; may be empty
     */
    public record Card(String file, String headline, String detail, String value) {}

    /** @param root directory of the photographs; files outside of it are not shown */
    public GalleryPage(Path root, String title, String summary) {
        this.thumbnails = new Thumbnails(root.toString());
        this.title = title;
        this.summary = summary;
    }

    /**
     * Adds a section.
     *
     * @param reading how to read it, in a sentence or two
     * @param cards those that are shown
     * @param total how many there are
     */
    public GalleryPage section(String heading, String reading, List<Card> cards, int total) {
        body.raw("<section><h2>")
                .text(heading)
                .raw("</h2><p class=\"reading\">")
                .text(reading)
                .raw("</p>");
        if (total == 0) {
            body.raw("<p>None.</p></section>\n");
            return this;
        }
        body.raw("<p class=\"caption\">")
                .text(Numbers.count(total) + " found"
                        + (cards.size() < total ? "; " + Numbers.count(cards.size()) + " shown." : "."))
                .raw("</p><ul class=\"gallery\">");
        cards.forEach(card -> card(card, thumbnails, body));
        body.raw("</ul></section>\n");
        return this;
    }

    /** One photograph of a gallery. */
    static void card(Card card, Thumbnails thumbnails, Html html) {
        html.raw("<li><figure>");
        MistakesSection.picture(thumbnails.of(card.file()), card.headline(), html);
        html.raw("<figcaption><span class=\"predicted\">")
                .text(card.headline())
                .raw("</span><span class=\"sure\">")
                .text(card.value())
                .raw("</span><span class=\"truth\">")
                .text(card.detail())
                .raw("</span><span class=\"file\">")
                .text(Text.shortened(card.file(), RunFiles.MAX_CHARACTERS))
                .raw("</span></figcaption></figure></li>");
    }

    /** The whole page. */
    public String html() throws IOException {
        return new Html()
                .raw(
                        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                                + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src"
                                + " 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                                + "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>")
                .text(title)
                .raw(" – Gramian</title>\n<style>\n" + Report.resource("report.css")
                        + "</style></head>\n<body>\n<header><h1>")
                .text(title)
                .raw("</h1><p class=\"what\">")
                .text(summary)
                .raw("</p></header>\n<main>\n")
                .raw(body.toString())
                .raw("</main>\n<footer>Made by Gramian. This page is self-contained and loads nothing from a network."
                        + "</footer>\n</body></html>\n")
                .toString();
    }
}
