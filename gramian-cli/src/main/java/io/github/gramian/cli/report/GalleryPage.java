package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.json.internal.Json;
import java.nio.file.Path;
import java.util.List;

/** A page of photographs in sections. Pictures and style are inside; it loads nothing from a network. */
public final class GalleryPage {

    private final Thumbnails thumbnails;
    private final String title;
    private final ObjectNode page = Json.object();

    /**
     * A photograph with what is said about it.
     *
     * @param file path relative to the root
     * @param headline in strong letters
     * @param detail below the headline
     * @param value at the right, such as a score; may be empty
     */
    public record Card(String file, String headline, String detail, String value) {

        /** For the template {@code card.html}. */
        ObjectNode data(Thumbnails thumbnails) {
            return ((ObjectNode) Json.treeOf(this))
                    .put("picture", thumbnails.of(file).orElse(""));
        }
    }

    /** @param root directory of the photographs; files outside of it are not shown */
    public GalleryPage(Path root, String title, String summary) {
        this.thumbnails = new Thumbnails(root.toString());
        this.title = title;
        page.put("summary", summary);
    }

    /**
     * Adds a section.
     *
     * @param reading how to read it, in a sentence or two
     * @param cards those that are shown
     * @param total how many there are
     */
    public GalleryPage section(String heading, String reading, List<Card> cards, int total) {
        ObjectNode section = page.withArrayProperty("sections").addObject();
        section.put("heading", heading).put("reading", reading);
        if (total > 0) {
            String shown = cards.size() < total ? "; " + Numbers.count(cards.size()) + " shown." : ".";
            section.put("found", Numbers.count(total) + " found" + shown);
        }
        cards.forEach(card -> section.withArrayProperty("cards").add(card.data(thumbnails)));
        return this;
    }

    /** The whole page. */
    public String html() {
        return Html.page(title, "gallery.html", page);
    }
}
