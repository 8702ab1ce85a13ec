package io.github.gramian.cli.draw;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.cli.report.Thumbnails;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.explain.internal.Explanation;
import java.util.List;

/** Where a model looked, as one SVG for an image or one HTML page for many. */
final class WhereDrawing {

    private static final int SIDE = 320;
    private static final int GAP = 16;
    private static final int TOP = 30;
    private static final int MAX_LETTERS = 60;
    private static final int MAX_CHARACTERS = 1_000;

    private static final String SVG_STYLE =
            "text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:12px;fill:#57606a}"
                    + ".title{font-weight:600}"
                    + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}}";

    private static final String PAGE_STYLE =
            ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1180px;"
                    + "padding:1rem clamp(14px,3vw,28px)}h1{font-size:1.3rem}ul{list-style:none;padding:0;display:grid;"
                    + "grid-template-columns:repeat(auto-fill,minmax(min(100%,250px),1fr));gap:1.2rem}figure{margin:0}"
                    + ".pair{display:grid;grid-template-columns:1fr 1fr;gap:4px}"
                    + "img{width:100%;border-radius:6px;display:block}figcaption{font-size:.9rem;overflow-wrap:anywhere}"
                    + ".file{opacity:.75;font-size:.82rem}.scale{height:.6rem;max-width:16rem;border-radius:3px;"
                    + "background:linear-gradient(to right,#808080,#59157e,#b73779,#fb8861,#fcfdbf)}"
                    + ".ends{display:flex;justify-content:space-between;max-width:16rem;font-size:.82rem}";

    /** An image by its name, with its explanation. */
    record Item(String name, Explanation explanation) {}

    private WhereDrawing() {}

    /** The image next to its map, with a scale and one sentence. */
    static String svg(Item item) {
        Explanation explanation = item.explanation();
        RgbImage picture = explanation.picture();
        double height = SIDE * picture.height() / (double) picture.width();
        int width = 2 * SIDE + GAP;
        Html svg = new Html();
        svg.raw("<text class=\"title\" x=\"0\" y=\"18\">")
                .text(answer(explanation))
                .raw("</text>");
        image(svg, photo(picture), 0, height);
        image(svg, overlay(explanation), SIDE + GAP, height);
        svg.raw("<rect x=\"" + (SIDE + GAP) + "\" y=\"")
                .number(TOP + height + 10)
                .raw("\" width=\"" + SIDE + "\" height=\"8\" rx=\"3\" fill=\"url(#scale)\"/>");
        svg.raw("<text class=\"small\" x=\"" + (SIDE + GAP) + "\" y=\"")
                .number(TOP + height + 34)
                .raw("\">nothing</text><text class=\"small\" text-anchor=\"end\" x=\"" + width + "\" y=\"")
                .number(TOP + height + 34)
                .raw("\">the most</text>");
        svg.raw("<text class=\"small\" x=\"0\" y=\"").number(TOP + height + 56).raw("\">");
        svg.text(WhereOverlay.legend(explanation)).raw("</text>");
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " "
                + Numbers.coordinate(TOP + height + 66) + "\" role=\"img\"><title>"
                + Html.escape(WhereOverlay.legend(explanation)) + "</title><style>" + SVG_STYLE + "</style>"
                + "<defs><linearGradient id=\"scale\"><stop offset=\"0\" stop-color=\"#808080\"/><stop offset=\".25\""
                + " stop-color=\"#59157e\"/><stop offset=\".5\" stop-color=\"#b73779\"/><stop offset=\".75\""
                + " stop-color=\"#fb8861\"/><stop offset=\"1\" stop-color=\"#fcfdbf\"/></linearGradient></defs>"
                + svg + "</svg>\n";
    }

    private static void image(Html svg, String address, int x, double height) {
        svg.raw("<image x=\"" + x + "\" y=\"" + TOP + "\" width=\"" + SIDE + "\" height=\"")
                .number(height)
                .raw("\" href=\"")
                .raw(address)
                .raw("\"/>");
    }

    /** One page with all images; it loads nothing from a network. */
    static String page(String title, List<Item> items) {
        Html page = new Html()
                .raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                        + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src"
                        + " 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
                .text(title)
                .raw(" – Gramian</title>\n<style>" + PAGE_STYLE
                        + "</style></head>\n<body>\n<h1>Where the model looked</h1>"
                        + "\n<p>Bright areas raised the score of the class below each picture; grey areas did not.</p>\n"
                        + "<div class=\"scale\"></div><div class=\"ends\"><span>nothing</span><span>the most</span></div>"
                        + "\n<ul>\n");
        items.forEach(item -> card(item, page));
        return page.raw("</ul>\n</body></html>\n").toString();
    }

    private static void card(Item item, Html page) {
        Explanation explanation = item.explanation();
        page.raw("<li><figure><div class=\"pair\"><img src=\"" + photo(explanation.picture()) + "\"")
                .attribute("alt", "The image")
                .raw("><img src=\"" + overlay(explanation) + "\"")
                .attribute("alt", WhereOverlay.legend(explanation))
                .raw("></div><figcaption>")
                .text(answer(explanation))
                .raw("<div class=\"file\">")
                .text(Text.shortened(item.name(), MAX_CHARACTERS))
                .raw("</div></figcaption></figure></li>\n");
    }

    /** The class and its probability, and the predicted class if that is another one. */
    static String answer(Explanation explanation) {
        Prediction prediction = explanation.prediction();
        String own =
                Text.shortened(explanation.className(), MAX_LETTERS) + " " + Numbers.percent(explanation.probability());
        return prediction.predicted() == explanation.subject()
                ? own
                : own + " (predicted: " + Text.shortened(prediction.label(), MAX_LETTERS) + " "
                        + Numbers.percent(prediction.probability(prediction.predicted())) + ")";
    }

    private static String photo(RgbImage picture) {
        return Thumbnails.dataAddress(Thumbnails.raster(picture), "jpeg").orElse("");
    }

    private static String overlay(Explanation explanation) {
        return Thumbnails.dataAddress(WhereOverlay.paint(explanation), "jpeg").orElse("");
    }
}
